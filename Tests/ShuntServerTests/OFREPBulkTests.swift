import ShuntCore
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// The bulk evaluation's validator and order, and the reasons that flags give.
@Suite struct OFREPBulkTests {
    private static let all = "/ofrep/v1/evaluate/flags"

    private func ask(_ server: TestServer, _ context: String, ifNoneMatch: String? = nil) throws
        -> HTTPTransfer.Response
    {
        let headers = ifNoneMatch.map { [("If-None-Match", $0)] } ?? []
        return try server.post(Self.all, #"{"context":\#(context)}"#, headers: headers)
    }

    @Test func `a body that hasn't changed is 304, by a list that is compared weakly`() throws {
        let server = try TestServer()
        defer { server.stop() }
        let first = try ask(server, #"{"targetingKey":"a"}"#)
        let etag = try #require(first.header("ETag"))
        #expect(etag.count == 34 && etag.first == "\"" && etag.last == "\"")
        for field in [etag, "W/\(etag)", "\"x\", \(etag)", "\"x\",W/\(etag) , \"y\"", "*"] {
            let again = try ask(server, #"{"targetingKey":"b"}"#, ifNoneMatch: field)
            #expect(again.status == 304, "\(field)")
            #expect(again.body.isEmpty)
            #expect(again.header("ETag") == etag)
            #expect(again.header("Cache-Control") == "private, no-cache")
            #expect(again.header("Access-Control-Expose-Headers") == "ETag, Retry-After, Shunt-Signature")
        }
        for field in ["\"x\"", "x", String(etag.dropFirst().dropLast()), "\"x\", *"] {
            #expect(try ask(server, "{}", ifNoneMatch: field).status == 200, "\(field)")
        }
        // Two fields are one list.
        let twice = [("If-None-Match", "\"x\""), ("If-None-Match", etag)]
        #expect(try server.post(Self.all, #"{"context":{}}"#, headers: twice).status == 304)
        // What a stream's message says never makes a 304.
        let flagged = "\(Self.all)?flagConfigEtag=\(etag.replacing("\"", with: "%22"))"
        #expect(try server.post(flagged, #"{"context":{}}"#).status == 200)
        #expect(server.parts.metrics.snapshot.polls == [200: 6, 304: 6])
    }

    @Test func `whatever changes the body changes the validator: the context, a flip, the environment`() throws {
        let server = try TestServer()
        defer { server.stop() }
        let calm = try #require(try ask(server, #"{"region":"CN"}"#).header("ETag"))
        let sandbox = try ask(server, #"{"environment":"sandbox"}"#, ifNoneMatch: calm)
        #expect(sandbox.status == 200)
        #expect(sandbox.text.contains("/v1/switches/stream?environment=sandbox"))
        let trip = #"{"reason":"r","scope":{"region":"CN"}}"#
        #expect(try server.post("/v1/switches/apple-pay/trip", trip).status == 200)
        let moved = try ask(server, #"{"region":"CN"}"#, ifNoneMatch: calm)
        #expect(moved.status == 200)
        #expect(moved.text.contains(#""value":"web""#))
        #expect(moved.text.contains(#""pollAfterSec":15"#))
        // The client goes on sending the validator that it has when an attribute changes.
        let elsewhere = try ask(server, #"{"region":"US"}"#, ifNoneMatch: moved.header("ETag"))
        #expect(elsewhere.status == 200)
        #expect(elsewhere.text.contains(#""value":"native""#))
    }

    @Test func `flags stand in the order of their keys`() throws {
        var rules = WriterParts.rules
        for key in ["zebra", "Alpha", "beta", "apple-pay-2"] {
            rules.switches.append(SwitchDefinition(key: key, normalVariant: "native", degradedVariant: "web"))
        }
        let server = try TestServer(rules: rules)
        defer { server.stop() }
        let text = try ask(server, "{}").text
        let keys = text.matches(of: /"key":"([^"]*)"/).map { String($0.output.1) }
        #expect(keys == ["Alpha", "apple-pay", "apple-pay-2", "beta", "zebra"])
    }

    @Test func `the stream that bulk names tells of the next version`() throws {
        let server = try TestServer()
        defer { server.stop() }
        let text = try ask(server, #"{"environment":"sandbox"}"#).text
        let address = try #require(try /"requestUri":"([^"]*)"/.firstMatch(in: text)).output.1
        var stream = try EventStream(port: server.port, target: String(address))
        #expect(stream.status == 200)
        #expect(stream.head.contains("Access-Control-Allow-Origin: *"))
        _ = try stream.message()
        let trip = #"{"reason":"r","scope":{"environment":"sandbox"}}"#
        #expect(try server.post("/v1/switches/apple-pay/trip", trip).status == 200)
        #expect(try stream.message().contains(#""type":"refetchEvaluation""#))
    }

    // MARK: Reasons

    /// A document's switch with one narrower slice, and what a flag of it says.
    struct Standing: Sendable {
        var state = SwitchPhase.degraded
        var mode: SwitchMode?
        var percent: Int64?
        var override: OverrideStatus?
        var scopes: [ScopeStatus] = []
        var attributes = ["region": "CN", "installId": "i"]
        var reason: OFREPEvaluation.Reason

        var status: SwitchStatus {
            SwitchStatus(
                key: "k",
                state: state,
                mode: mode,
                variant: "v",
                percent: percent,
                salt: percent.map { _ in "s" },
                normalVariant: percent.map { _ in "n" },
                since: Timestamp(milliseconds: 0),
                reason: nil,
                override: override,
                scopes: scopes
            )
        }
    }

    private static let override = OverrideStatus(variant: "v", summary: "s", endsAt: Timestamp(milliseconds: 1))

    private static func slice(
        _ match: [String: String],
        percent: Int64 = 100,
        override: OverrideStatus? = nil
    ) -> ScopeStatus {
        let salt = percent < 100 ? "s" : nil
        return ScopeStatus(
            match: match,
            state: .probing,
            variant: "v",
            percent: percent,
            salt: salt,
            override: override
        )
    }

    private static let region = ["region": "CN"]

    @Test(arguments: [
        Row("all is normal", Standing(state: .normal, reason: .static)),
        Row("all are moved", Standing(reason: .targetingMatch)),
        Row("locked", Standing(state: .locked, reason: .targetingMatch)),
        Row("a share tries", Standing(state: .probing, percent: 98, reason: .split)),
        Row("all but the stragglers try", Standing(state: .ramping, percent: 0, reason: .split)),
        Row("the slice is moved", Standing(state: .normal, scopes: [slice(region)], reason: .targetingMatch)),
        Row("another slice is moved", Standing(state: .normal, scopes: [slice(["region": "US"])], reason: .static)),
        Row(
            "a share of the slice tries, and this one doesn't",
            Standing(scopes: [slice(region, percent: 99)], reason: .split)
        ),
        Row(
            "a share of the slice tries, and this one does",
            Standing(scopes: [slice(region, percent: 0)], reason: .split)
        ),
        Row(
            "the slice is moved, and outside it a share tries",
            Standing(state: .probing, percent: 98, scopes: [slice(region)], reason: .targetingMatch)
        ),
        Row(
            "a slice is moved, and in a wider one a share tries",
            Standing(
                scopes: [slice(region, percent: 50), slice(["region": "CN", "installId": "i"])],
                reason: .targetingMatch
            )
        ),
        Row("a person decided", Standing(state: .normal, override: override, reason: .targetingMatch)),
        Row(
            "a person decided for the slice, while a share tries",
            Standing(percent: 98, scopes: [slice(region, override: override)], reason: .targetingMatch)
        ),
        Row("a dry run", Standing(mode: .dryRun, reason: .static)),
        Row("a dry run with a slice", Standing(mode: .dryRun, scopes: [slice(region)], reason: .static)),
        Row("disarmed", Standing(state: .normal, mode: .disarmed, reason: .disabled)),
        Row("disarmed with a slice", Standing(mode: .disarmed, scopes: [slice(region)], reason: .disabled)),
        Row(
            "disarmed, and a person decided",
            Standing(state: .normal, mode: .disarmed, override: override, reason: .targetingMatch)
        ),
    ])
    func `a flag says why it has its value`(row: Row<Standing>) {
        let status = row.value.status
        let evaluation = OFREPEvaluation(of: status, for: row.value.attributes)
        #expect(evaluation.reason == row.value.reason)
        #expect(evaluation.decision == status.decision(for: row.value.attributes))
        // Without a value clients fall back on their own.
        var writer = JSONWriter()
        let document = SwitchDocument(epoch: "e", version: 9, environment: "p", pollAfterSec: 60, switches: [status])
        writer.write(evaluation, in: document)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        let variant = evaluation.decision.variant
        let head =
            #"{"key":"k","value":"\#(variant)","reason":"\#(evaluation.reason.rawValue)","variant":"\#(variant)""#
        #expect(text.hasPrefix(head), "\(text)")
        #expect(text.contains("\"mode\":") == (status.mode != nil))
    }
}
