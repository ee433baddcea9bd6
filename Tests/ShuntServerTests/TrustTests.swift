import ShuntCore
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// How far a report can be believed is known by its token, and outlives the process.
@Suite struct TrustTests {
    private static let event = #"{"eventId":"e1","installId":"i1","error":{"domain":"verify","code":"8771"}}"#
    private static let anonymous = #"{"eventId":"e2","error":{"domain":"verify","code":"8771"}}"#

    private func read(_ text: String, trust: ReporterTrust, format: BodyFormat = .json) throws -> IntakeBatch {
        let intake = Intake(limits: IntakeLimits(), threads: 1)
        return try intake.read(Array(text.utf8), format: format, trust: trust, wallMs: Moment.noon.milliseconds)
    }

    @Test(arguments: ReporterTrust.allCases)
    func `every event has its door's trust, whatever it says itself`(trust: ReporterTrust) throws {
        let claim = #"{"trust":"trusted","installId":"i","error":{"code":"1"}}"#
        let lie = #"{"trust":"public","installId":"i","error":{"code":"1"},"context":{"trust":"public"}}"#
        for text in ["[\(claim),\(lie)]", "{\"events\":[\(claim),\(lie)],\"trust\":\"trusted\"}"] {
            #expect(try read(text, trust: trust).events.map(\.event.trust) == [trust, trust])
        }
        #expect(try read("\(claim)\n\(lie)", trust: trust, format: .lines).events.map(\.event.trust) == [trust, trust])
        #expect(try read(claim, trust: trust).events.map(\.flags.trust) == [trust])
    }

    @Test func `the body is kept as it was sent, for it doesn't say the trust`() throws {
        let faithful =
            #"{"source":"ios","environment":"production","stage":"unknown","outcome":"failed","#
            + #""installId":"i","error":{"domain":"d","code":"1"}}"#
        let prepared = try #require(try read(faithful, trust: .public).events.first)
        #expect(prepared.body == Array(faithful.utf8))
        #expect(prepared.flags == .publicReporter)
    }

    @Test(arguments: [
        anonymous, #"{"installId":null,"error":{"code":"1"}}"#, #"{"installId":"","error":{"code":"1"}}"#,
        #"{"kind":"counts","from":"2026-11-30T04:00:00Z","to":"2026-11-30T04:01:00Z","outcome":"succeeded","count":5}"#,
    ])
    func `whom anybody can be must say which install it is`(text: String) throws {
        let batch = try read("[\(text),\(Self.event)]", trust: .public)
        #expect(batch.events.count == 1)
        #expect(batch.rejections.map(\.index) == [0])
        #expect(batch.rejections.map(\.problem.pointer) == ["/installId"])
        #expect(batch.rejections.map(\.problem.code) == [.missing])
        #expect(try read(text, trust: .trusted).events.count == 1)
    }

    /// A server with a public and a trusted reporter.
    private struct Reporters {
        let app: NewToken
        let backend: NewToken
        let server: TestServer

        init() throws {
            app = try NewToken(name: "app", role: .report, trust: .public)
            backend = try NewToken(name: "backend", role: .report, trust: .trusted)
            server = try TestServer(access: AccessControl(tokens: [app.access, backend.access], arePollsPublic: true))
        }

        func post(_ body: String, _ token: NewToken) throws -> HTTPTransfer.Response {
            try server.post("/v1/events", body, headers: [("Authorization", "Bearer \(token.text)")])
        }
    }

    @Test func `a public token's events without install are refused, one by one and all`() throws {
        let reporters = try Reporters()
        defer { reporters.server.stop() }
        let some = try reporters.post("[\(Self.anonymous),\(Self.event)]", reporters.app)
        #expect(some.status == 202)
        #expect(some.text.contains(#""accepted":1"#))
        #expect(some.text.contains(#"{"index":0,"pointer":"/installId","code":"missing""#))
        let all = try reporters.post(Self.anonymous, reporters.app)
        #expect(all.status == 422)
        #expect(all.text.contains(#""pointer":"/installId","code":"missing""#))
        #expect(try reporters.post(Self.anonymous, reporters.backend).status == 202)
    }

    @Test func `what is folded live and what a restart folds agree, snapshot or not`() throws {
        let reporters = try Reporters()
        _ = try reporters.post(Self.event, reporters.app)
        _ = try reporters.post(Self.anonymous, reporters.backend)
        // Redacted, so written anew: the trust isn't of the body either way.
        _ = try reporters.post(
            #"{"eventId":"e3","installId":"i","error":{"code":"1","message":"card 4111 1111 1111 1111"}}"#,
            reporters.app
        )
        reporters.server.stop()
        let parts = reporters.server.parts
        let trusts = try parts.inputs().compactMap { input -> ReporterTrust? in
            if case .event(let event) = input { event.trust } else { nil }
        }
        #expect(trusts == [.public, .trusted, .public])
        guard case .state(let live) = parts.snapshots.read() else {
            Issue.record("there is no snapshot")
            return
        }
        parts.snapshots.setAside()
        #expect(try parts.recover().state == live)
    }
}
