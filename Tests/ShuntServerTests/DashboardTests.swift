import Foundation
import ShuntCore
import ShuntNative
import TestSupport
import Testing

@testable import ShuntServer

/// The web dashboard as the daemon serves it.
@Suite struct DashboardTests {
    /// A folder of dashboards with a page of two modules and a secret beside it.
    private func dashboards() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: "\(folder.path)/web/pages", withIntermediateDirectories: true)
        let page = #"<!doctype html><script type="module" src="web/app.js"></script>"#
        try folder.write(Array(page.utf8), to: "web/index.html")
        try folder.write(Array(#"import "./pages/now.js""#.utf8), to: "web/app.js")
        try folder.write(Array("export {}".utf8), to: "web/pages/now.js")
        try folder.write(Array("a {}".utf8), to: "web/app.css")
        try folder.write(Array("notes".utf8), to: "web/notes.txt")
        try folder.write(Array("secret".utf8), to: "web/.hidden.js")
        try folder.write(Array("secret".utf8), to: "secret.js")
        return folder
    }

    private func served<Value>(_ dashboards: String, _ body: (TestServer) throws -> Value) throws -> Value {
        let server = try TestServer(dashboards: dashboards)
        defer { server.stop() }
        return try body(server)
    }

    /// The address of a file as the page names it.
    private func address(of name: String, on server: TestServer) throws -> String {
        let page = try server.get("/").text
        let start = try #require(page.range(of: "web/"))
        let end = try #require(page.range(of: "/app.js"))
        return "/\(page[start.lowerBound..<end.lowerBound])/\(name)"
    }

    @Test func `the page and its files come with a strict policy, and only the files are kept for ever`() throws {
        let folder = try dashboards()
        try served(folder.path) { server in
            let page = try server.get("/", headers: [("Accept", "text/html,*/*;q=0.8")])
            #expect(page.status == 200)
            #expect(page.header("Content-Type") == "text/html; charset=utf-8")
            #expect(page.header("Cache-Control") == "no-cache")
            let rows = [
                Row("app.js", "text/javascript; charset=utf-8"), Row("app.css", "text/css; charset=utf-8"),
                Row("pages/now.js", "text/javascript; charset=utf-8"),
            ]
            for row in rows {
                let file = try server.get(try address(of: row.name, on: server))
                #expect(file.status == 200, "\(row.name)")
                #expect(file.header("Content-Type") == row.value)
                #expect(file.header("Cache-Control") == "public, max-age=31536000, immutable")
                #expect(file.header("X-Content-Type-Options") == "nosniff")
            }
            let policy = try #require(page.header("Content-Security-Policy"))
            #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self';"))
            #expect(!policy.contains("unsafe"))
            #expect(page.header("Referrer-Policy") == "no-referrer")
        }
    }

    @Test func `what a browser has is confirmed by its tag`() throws {
        let folder = try dashboards()
        try served(folder.path) { server in
            for target in ["/", try address(of: "app.js", on: server)] {
                let first = try server.get(target)
                let etag = try #require(first.header("ETag"))
                #expect(etag.hasPrefix("\"") && etag.utf8.count == 34)
                let again = try server.get(target, headers: [("If-None-Match", "W/\(etag)")])
                #expect(again.status == 304 && again.body.isEmpty && again.header("ETag") == etag)
                #expect(try server.get(target, headers: [("If-None-Match", "\"x\"")]).status == 200)
            }
        }
    }

    @Test(arguments: [
        "/web/app.js", "/web/0000000000000000/app.js", "{web}/notes.txt", "{web}/.hidden.js", "{web}/index.html",
        "{web}/../../secret.js", "{web}/..%2f..%2fsecret.js", "{web}/%2e%2e/%2e%2e/secret.js", "{web}/pages/",
        "{web}/pages", "{web}//etc/passwd", "{web}/app.js%00", "/secret.js", "/../secret.js",
    ])
    func `nothing else is served`(target: String) throws {
        let folder = try dashboards()
        try served(folder.path) { server in
            let web = try address(of: "", on: server).dropLast()
            let reply = try server.get(target.replacing("{web}", with: web))
            #expect(reply.status == 404 || reply.status == 400)
            #expect(reply.text != "secret")
        }
    }

    @Test func `a file that changes changes all addresses, once the folder is read again`() throws {
        let folder = try dashboards()
        let endpoint = DashboardEndpoint(folder: folder.path)
        let before = try #require(try DashboardFiles(readingFrom: "\(folder.path)/web"))
        try folder.write(Array("export const a = 1".utf8), to: "web/pages/now.js")
        let after = try #require(try DashboardFiles(readingFrom: "\(folder.path)/web"))
        #expect(Set(before.assets.keys).isDisjoint(with: after.assets.keys))
        #expect(before.page.etag != after.page.etag)
        try folder.remove("web/index.html")
        endpoint.load()
        #expect(try DashboardFiles(readingFrom: "\(folder.path)/web") == nil)
    }

    @Test func `without the folder the page says where it was expected`() throws {
        let folder = try TemporaryFolder()
        try served("\(folder.path)/nowhere") { server in
            let page = try server.get("/")
            #expect(page.status == 404)
            #expect(page.header("Content-Type") == "text/plain; charset=utf-8")
            #expect(page.text.contains("\(folder.path)/nowhere/web"))
            #expect(page.text.contains("--dashboards"))
            #expect(page.header("Content-Security-Policy") != nil)
        }
    }

    @Test func `the files need no token, and what they show does`() throws {
        let folder = try dashboards()
        let token = AccessToken(
            name: "reader",
            role: .read,
            digest: Digest.sha256(Array("r".utf8))
        )
        let access = AccessControl(tokens: [token], arePollsPublic: true)
        let server = try TestServer(access: access, dashboards: folder.path)
        defer { server.stop() }
        #expect(try server.get("/").status == 200)
        #expect(try server.get(try address(of: "app.js", on: server)).status == 200)
        let stranger = try server.get("/v1/access").text
        #expect(stranger == #"{"tokens":true,"refusal":"missing","read":false,"operate":false}"#)
        let reader = try server.get("/v1/access", headers: [("Authorization", "Bearer r")]).text
        #expect(reader == #"{"tokens":true,"name":"reader","read":true,"operate":false}"#)
        #expect(try server.get("/v1/outlook").status == 401)
        #expect(try server.get("/v1/outlook", headers: [("Authorization", "Bearer r")]).status == 200)
    }

    @Test func `the outlook says what a switch does next`() throws {
        let server = try TestServer()
        defer { server.stop() }
        let calm = try server.get("/v1/outlook").text
        #expect(calm.contains(#""key":"apple-pay","mode":"armed""#) && calm.contains(#""scopes":[]"#))
        let rule = try #require(WriterParts.rules.rules.first)
        let untouched = #"{"id":"\#(rule.id)","threshold":\#(rule.threshold),"groups":0}"#
        #expect(calm.contains(untouched))
        let failure = #"{"eventId":"a","installId":"i","error":{"domain":"verify","code":"8771"}}"#
        #expect(try server.post("/v1/events", failure).status == 202)
        let counted = try server.get("/v1/outlook").text
        #expect(counted.contains(#""groups":1,"nearest":{"group":{"#) && counted.contains(#""count":1,"missing":"#))
        let body = #"{"reason":"test","scope":{"region":"CN"}}"#
        #expect(try server.post("/v1/switches/apple-pay/trip", body).status == 200)
        let tripped = try server.get("/v1/outlook").text
        #expect(tripped.contains(#""match":{"region":"CN"},"state":"degraded""#))
    }
}
