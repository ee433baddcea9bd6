import ShuntCore
import ShuntNative
import TestSupport
import Testing

@testable import ShuntServer

/// The operators' doors, through the real server.
@Suite struct SwitchCommandTests {
    private static let key = "/v1/switches/apple-pay"

    private static func delete(
        _ server: TestServer,
        _ target: String,
        body: String? = nil
    ) throws -> HTTPTransfer.Response {
        var request = server.request(target, body: body)
        request.method = "DELETE"
        var transfer = HTTPTransfer()
        return try transfer.perform(request)
    }

    private static func variant(_ server: TestServer, _ query: String = "") throws -> String? {
        var document = JSONDocument()
        try document.parse(try server.get("\(key)?x=1\(query)").body)
        return document.member("variant", of: document.root).flatMap { document.string(of: $0) }
    }

    @Test func `an override moves its slice alone until it is cleared`() throws {
        let server = try TestServer()
        defer { server.stop() }
        let body = #"{"variant":"web","reason":"maintenance","scope":{"region":"CN"},"expiresInSec":60}"#
        #expect(try server.post("\(Self.key)/override", body).status == 200)
        #expect(try Self.variant(server, "&region=CN") == "web")
        #expect(try Self.variant(server, "&region=US") == "native")
        #expect(try Self.delete(server, "\(Self.key)/override?reason=done").status == 409, "there is none for all")
        let cleared = try Self.delete(server, "\(Self.key)/override?reason=done&region=CN")
        #expect(cleared.status == 200, "\(cleared.text)")
        #expect(try Self.variant(server, "&region=CN") == "native")
    }

    @Test func `an override is cleared by a body too`() throws {
        let server = try TestServer()
        defer { server.stop() }
        #expect(try server.post("\(Self.key)/override", #"{"variant":"web","reason":"r"}"#).status == 200)
        #expect(try Self.variant(server) == "web")
        #expect(try Self.delete(server, "\(Self.key)/override", body: #"{"reason":"r"}"#).status == 200)
        #expect(try Self.variant(server) == "native")
    }

    @Test func `a dry run tells nobody to move`() throws {
        let server = try TestServer()
        defer { server.stop() }
        #expect(try server.post("\(Self.key)/mode", #"{"mode":"dryRun","reason":"r"}"#).status == 200)
        #expect(try server.post("\(Self.key)/trip", #"{"reason":"r"}"#).status == 200)
        #expect(try Self.variant(server) == "native")
        #expect(try server.post("\(Self.key)/mode", #"{"mode":"dryRun","reason":"r"}"#).status == 409)
    }

    private static let refusals: [Row<(String, Int, String)>] = [
        Row(#"override {"variant":"web"}"#, ("override", 422, "reasonMissing")),
        Row(#"override {"reason":"r"}"#, ("override", 422, "variantMissing")),
        Row(#"override {"reason":"r","variant":"app"}"#, ("override", 409, "unknownVariant")),
        Row(#"override {"reason":"r","variant":"web","expiresInSec":0}"#, ("override", 422, "outOfRange")),
        Row(#"override {"reason":"r","variant":"web","expiresInSec":86401}"#, ("override", 422, "outOfRange")),
        Row(#"override {"reason":"r","variant":"web","expiresInSec":"60"}"#, ("override", 422, "outOfRange")),
        Row(#"override {"reason":"r","variant":"web","scope":{"moon":"full"}}"#, ("override", 422, "unknownAttribute")),
        Row(#"mode {"reason":"r"}"#, ("mode", 422, "unknownMode")),
        Row(#"mode {"reason":"r","mode":"off"}"#, ("mode", 422, "unknownMode")),
        Row(#"override [1]"#, ("override", 422, "wrongShape")),
    ]

    @Test(arguments: refusals)
    private func `what can't be done is refused by name, and nothing changes`(row: Row<(String, Int, String)>) throws {
        let server = try TestServer()
        defer { server.stop() }
        let body = String(row.name.drop { $0 != "{" && $0 != "[" })
        let before = try server.get("/v1/switches").body
        let response = try server.post("\(Self.key)/\(row.value.0)", body)
        #expect(response.status == row.value.1, "\(response.text)")
        #expect(response.text.contains("\"code\":\"\(row.value.2)\""), "\(response.text)")
        #expect(try server.get("/v1/switches").body == before)
    }

    @Test func `only an override can be deleted, and each address says what it takes`() throws {
        let server = try TestServer()
        defer { server.stop() }
        let trip = try Self.delete(server, "\(Self.key)/trip?reason=r")
        #expect(trip.status == 405)
        #expect(trip.header("Allow") == "POST")
        let got = try server.get("\(Self.key)/override")
        #expect(got.status == 405)
        #expect(got.header("Allow") == "POST, DELETE")
        #expect(try Self.delete(server, "\(Self.key)/override").status == 422)
    }
}
