import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// What web pages of other origins may use, through the real server.
@Suite struct CrossOriginTests {
    private static let origin = ("Origin", "https://shop.example")

    private func preflight(_ server: TestServer, _ target: String, _ method: String) throws -> HTTPTransfer.Response {
        let headers = [
            Self.origin, ("Access-Control-Request-Method", method),
            ("Access-Control-Request-Headers", "authorization,content-type,if-none-match,x-team"),
        ]
        var request = server.request(target, headers: headers)
        request.method = "OPTIONS"
        var transfer = HTTPTransfer()
        return try transfer.perform(request)
    }

    /// Doors with the methods that a page may use there; none where it may use nothing.
    private static let doors: [Row<String?>] = [
        Row("/v1/switches", "GET, HEAD"), Row("/v1/switches/apple-pay", "GET, HEAD"),
        Row("/v1/switches/stream", "GET, HEAD"), Row("/ofrep/v1/evaluate/flags", "POST"),
        Row("/ofrep/v1/evaluate/flags/apple-pay", "POST"), Row("/v1/events", "POST"), Row("/v1/rules", nil),
        Row("/v1/audit", nil), Row("/v1/explain?code=1", nil), Row("/metrics", nil), Row("/v1/rules/reload", nil),
        Row("/v1/switches/apple-pay/trip", nil), Row("/v1/switches/apple-pay/override", nil),
        Row("/v1/switches/apple-pay/mode", nil), Row("/healthz", nil),
        Row("/v1/alerts", nil), Row("/v1/alerts/1-0/ack", nil), Row("/v1/silences", nil), Row("/v1/silences/1-0", nil),
        Row("/readyz", nil), Row("/openapi.json", nil), Row("/nowhere", nil),
    ]

    private static func token() throws -> NewToken {
        try NewToken(name: "shop", role: .report, trust: .public)
    }

    @Test func `pages may poll, evaluate and report, and nothing else`() throws {
        let access = AccessControl(tokens: [try Self.token().access], arePollsPublic: true)
        let server = try TestServer(access: access)
        defer { server.stop() }
        for door in Self.doors {
            let answer = try preflight(server, door.name, door.value == "POST" ? "POST" : "GET")
            guard let methods = door.value else {
                #expect([404, 405].contains(answer.status), "\(door.name)")
                #expect(!answer.headers.contains { $0.name.hasPrefix("Access-Control") }, "\(door.name)")
                let plain = try server.get(door.name, headers: [Self.origin])
                #expect(plain.header("Access-Control-Allow-Origin") == nil, "\(door.name)")
                continue
            }
            #expect(answer.status == 204, "\(door.name): \(answer.text)")
            #expect(answer.header("Access-Control-Allow-Origin") == "*")
            #expect(answer.header("Access-Control-Allow-Methods") == methods)
            #expect(answer.header("Access-Control-Max-Age") == "7200")
            // Others read there too.
            let allowed = door.name == "/v1/events" ? "GET, HEAD, POST" : methods
            #expect(answer.header("Allow") == "\(allowed), OPTIONS")
            let names = answer.header("Access-Control-Allow-Headers")?.split(separator: ", ") ?? []
            #expect(Set(names).isSuperset(of: ["Authorization", "Content-Type", "If-None-Match", "*"]), "\(names)")
        }
        // Asking what one may do isn't doing it.
        #expect(server.parts.metrics.snapshot.polls.isEmpty)
        #expect(server.board.streamCount == 0)
    }

    @Test func `polls that need a token are asked about without one`() throws {
        let access = AccessControl(tokens: [try Self.token().access], arePollsPublic: false)
        let server = try TestServer(access: access, arePollsPublic: false)
        defer { server.stop() }
        #expect(try preflight(server, "/ofrep/v1/evaluate/flags", "POST").status == 204)
        let refused = try server.get("/v1/switches")
        #expect(refused.status == 401)
        #expect(refused.header("Access-Control-Allow-Origin") == "*")
    }

    @Test func `whoever has no tokens lets no page report`() throws {
        let server = try TestServer()
        defer { server.stop() }
        let answer = try preflight(server, "/v1/events", "POST")
        #expect(answer.status == 405)
        #expect(answer.header("Allow") == "GET, HEAD, POST")
        #expect(answer.header("Access-Control-Allow-Origin") == nil)
        let event = #"{"error":{"code":"1"}}"#
        #expect(try server.post("/v1/events", event).header("Access-Control-Allow-Origin") == nil)
        // What a page may send without asking isn't taken.
        #expect(try server.post("/v1/events", event, headers: [("Content-Type", "text/plain")]).status == 415)
        #expect(try preflight(server, "/v1/switches", "GET").status == 204)
    }

    @Test func `what pages are answered they can read, with validator and time to come back`() throws {
        let token = try Self.token()
        let server = try TestServer(access: AccessControl(tokens: [token.access], arePollsPublic: true))
        defer { server.stop() }
        let bearer = [Self.origin, ("Authorization", "Bearer \(token.text)")]
        let etag = try #require(try server.get("/v1/switches").header("ETag"))
        let event = #"{"installId":"i","error":{"code":"1"}}"#
        let answers = [
            (200, try server.get("/v1/switches")),
            (304, try server.get("/v1/switches", headers: [("If-None-Match", etag)])),
            (304, try server.get("/v1/switches?after=1")), (200, try server.get("/v1/switches/apple-pay?region=CN")),
            (404, try server.get("/v1/switches/nope")), (400, try server.get("/v1/switches?after=x")),
            (406, try server.get("/v1/switches", headers: [("Accept", "text/html")])),
            (202, try server.post("/v1/events", event, headers: bearer)),
            (202, try server.post("/v1/events", "[]", headers: bearer)),
            (422, try server.post("/v1/events", "[{}]", headers: bearer)),
            (401, try server.post("/v1/events", event)), (405, try server.put("/v1/events")),
        ]
        for (status, answer) in answers {
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.headers.count { $0.name == "Access-Control-Allow-Origin" } == 1, "\(status) \(answer.text)")
            #expect(answer.header("Access-Control-Allow-Origin") == "*", "\(status) \(answer.text)")
            #expect(answer.header("Access-Control-Expose-Headers") == "ETag, Retry-After, Shunt-Signature", "\(status)")
        }
        // What is read at the same address isn't for pages of other origins.
        let read = try server.get("/v1/events", headers: bearer)
        #expect(read.status == 403)
        #expect(read.header("Access-Control-Allow-Origin") == nil)
    }
}
