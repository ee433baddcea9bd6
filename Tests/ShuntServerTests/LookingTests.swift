import ShuntCore
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// `/v1/errors` and `/v1/events`, through the real server.
@Suite struct LookingTests {
    private static let bank = #"{"domain":"bank","code":"51"}"#

    private static func event(
        _ id: String,
        _ error: String? = #"{"domain":"verify","code":"8771","message":"refused"}"#,
        more: String = ""
    ) -> String {
        let outcome = error.map { #""outcome":"failed","error":\#($0)"# } ?? #""outcome":"succeeded""#
        return #"{"eventId":"\#(id)","attemptId":"at-\#(id)","installId":"in-\#(id)",\#(outcome)\#(more)}"#
    }

    private static func post(_ server: TestServer, _ events: [String]) throws {
        let response = try server.post("/v1/events", "[\(events.joined(separator: ","))]")
        #expect(response.status == 202, "\(response.text)")
    }

    /// A value by its path, such as `errors.0.code`.
    private static func value(_ path: String, _ response: HTTPTransfer.Response) throws -> String? {
        var document = JSONDocument()
        try document.parse(response.body)
        var value = document.root
        for step in path.split(separator: ".") {
            if let place = Int(step), document.kind(of: value) == .array {
                var elements = document.children(of: value)
                var found: JSONValue?
                for _ in 0...place { found = elements.next(in: document) }
                guard let found else { return nil }
                value = found
            } else {
                guard let member = document.member(String(step), of: value) else { return nil }
                value = member
            }
        }
        return document.string(of: value) ?? document.numberText(of: value)
            ?? String(decoding: document.source(of: value), as: UTF8.self)
    }

    @Test func `error keys are listed by how often they failed, with whom they hit and what was lost`() throws {
        let server = try TestServer()
        defer { server.stop() }
        let money = #","amount":{"minor":39900,"currency":"CNY"}"#
        try Self.post(
            server,
            (0..<4).map { Self.event("a\($0)", more: money) }
                + [Self.event("b", Self.bank, more: #","amount":{"minor":500,"currency":"JPY"}"#)]
                + (0..<15).map { Self.event("ok\($0)", nil, more: #","route":"native""#) }
                + [Self.event("s", more: #","environment":"sandbox""#)]
        )
        let page = try server.get("/v1/errors")
        #expect(page.status == 200)
        #expect(page.header("Cache-Control") == "no-store")
        #expect(try Self.value("environment", page) == "production")
        #expect(try Self.value("attempts", page) == "20")
        #expect(try Self.value("succeeded", page) == "15")
        #expect(try Self.value("total", page) == "2")
        #expect(try Self.value("errors.0.domain", page) == "verify")
        #expect(try Self.value("errors.0.count", page) == "4")
        #expect(try Self.value("errors.0.installs", page) == "4")
        #expect(try Self.value("errors.0.sharePercent", page) == "20.0")
        #expect(try Self.value("errors.0.amount", page) == #"[{"currency":"CNY","minor":159600}]"#)
        #expect(try Self.value("errors.0.series.points.59", page) == "4")
        #expect(try Self.value("errors.1.amount", page) == #"[{"currency":"JPY","minor":500}]"#)
        #expect(try Self.value("routes.1.route", page) == "native")
        #expect(try Self.value("routes.1.succeeded", page) == "15")
        let sandbox = try server.get("/v1/errors?environment=sandbox")
        #expect(try Self.value("errors.0.count", sandbox) == "1")
        #expect(try Self.value("attempts", sandbox) == nil)
    }

    @Test func `a page of error keys goes on at its cursor`() throws {
        let server = try TestServer()
        defer { server.stop() }
        try Self.post(server, (0..<5).map { Self.event("\($0)", #"{"domain":"d","code":"\#($0)"}"#) })
        let first = try server.get("/v1/errors?limit=2")
        #expect(try Self.value("errors.0.code", first) == "0")
        #expect(try Self.value("nextCursor", first) == "2")
        let last = try server.get("/v1/errors?limit=2&cursor=4")
        #expect(try Self.value("errors.0.code", last) == "4")
        #expect(try Self.value("nextCursor", last) == nil)
        let none = try server.get("/v1/errors?class=user")
        #expect(try Self.value("total", none) == "0")
    }

    @Test func `a code's page says what it is in each namespace and environment`() throws {
        let server = try TestServer()
        defer { server.stop() }
        try Self.post(
            server,
            (0..<3).map { Self.event("a\($0)", more: #","region":"CN","app":{"version":"4.2.0"},"stage":"precheck""#) }
                + [
                    Self.event("s", more: #","environment":"sandbox""#),
                    Self.event("o", #"{"domain":"other","code":"8771"}"#),
                ]
        )
        let page = try server.get("/v1/errors/8771")
        #expect(try Self.value("keys.0.environment", page) == "production")
        #expect(try Self.value("keys.0.domain", page) == "verify")
        #expect(try Self.value("keys.0.counts.window", page) == "3")
        #expect(try Self.value("keys.0.counts.oneHour", page) == "3")
        #expect(try Self.value("keys.0.counts.twentyFourHours", page) == "3")
        #expect(try Self.value("keys.0.total", page) == "3")
        #expect(try Self.value("keys.0.breakdown.0.name", page) == "stage")
        #expect(try Self.value("keys.0.breakdown.1.values.0.value", page) == "4.2.0")
        #expect(try Self.value("keys.0.breakdown.1.values.0.count", page) == "3")
        // Too few came before to say what is usual.
        #expect(try Self.value("keys.0.breakdown.1.values.0.baselineShare", page) == nil)
        #expect(try Self.value("keys.0.samples.0.event.eventId", page) == "a2")
        #expect(try Self.value("keys.0.alerts.0.rule", page) == nil)
        #expect(try Self.value("keys.1.domain", page) == "other")
        #expect(try Self.value("keys.2.environment", page) == "sandbox")
        #expect(try Self.value("keys.0.environments.1.environment", page) == "sandbox")
        let one = try server.get("/v1/errors/8771?domain=other")
        #expect(try Self.value("keys.0.domain", one) == "other")
        #expect(try Self.value("keys.1", one) == nil)
        #expect(try server.get("/v1/errors/unheard-of").status == 404)
    }

    @Test func `a code may hold anything that an address can be escaped to`() throws {
        let server = try TestServer()
        defer { server.stop() }
        try Self.post(server, [Self.event("a", #"{"domain":"d","code":"a/b?c=%25 ü"}"#)])
        let page = try server.get("/v1/errors/a%2Fb%3Fc%3D%2525%20%C3%BC")
        #expect(page.status == 200)
        #expect(try Self.value("code", page) == "a/b?c=%25 ü")
    }

    @Test func `events are found by what they are called`() throws {
        let server = try TestServer()
        defer { server.stop() }
        try Self.post(
            server,
            [
                Self.event("a", more: #","orderRef":"INT-1""#), Self.event("b", nil, more: #","orderRef":"INT-1""#),
                Self.event("c", #"{"domain":"bank","code":"51"}"#),
            ]
        )
        #expect(try Self.value("event.attemptId", server.get("/v1/events/a")) == "at-a")
        let order = try server.get("/v1/events?orderRef=INT-1")
        #expect(try Self.value("events.0.event.eventId", order) == "b")
        #expect(try Self.value("events.1.event.eventId", order) == "a")
        #expect(try Self.value("events.2", order) == nil)
        #expect(try Self.value("events.0.event.eventId", server.get("/v1/events?code=51")) == "c")
        #expect(try Self.value("events.0.event.eventId", server.get("/v1/events?code=51&domain=verify")) == nil)
        #expect(try Self.value("events.0.event.eventId", server.get("/v1/events?outcome=succeeded")) == "b")
        let first = try server.get("/v1/events?limit=2")
        #expect(try Self.value("events.0.event.eventId", first) == "c")
        let cursor = try #require(try Self.value("nextCursor", first))
        let rest = try server.get("/v1/events?limit=2&cursor=\(cursor)")
        #expect(try Self.value("events.0.event.eventId", rest) == "a")
        #expect(try Self.value("events.1", rest) == nil)
        // By its number in the journal, for a report without a name.
        let seq = try #require(try Self.value("events.0.seq", rest))
        #expect(try Self.value("event.eventId", server.get("/v1/events/\(seq)")) == "a")
        #expect(try server.get("/v1/events/nobody").status == 404)
    }

    static let mistakes: [Row<(path: String, code: String)>] = [
        Row("a window of no length", ("/v1/errors?windowSec=0", "invalidWindowSec")),
        Row("a window of words", ("/v1/errors?windowSec=five", "invalidWindowSec")),
        Row("a window that no page has", ("/v1/errors/8771?windowSec=7200", "invalidWindowSec")),
        Row("an unknown class", ("/v1/errors?class=bad", "invalidClass")),
        Row("a limit of none", ("/v1/errors?limit=0", "invalidLimit")),
        Row("a cursor that is none", ("/v1/errors?cursor=x", "invalidCursor")),
        Row("an unknown language", ("/v1/errors/8771?lang=fr", "invalidLang")),
        Row("an unknown outcome", ("/v1/events?outcome=lost", "invalidOutcome")),
        Row("an empty code", ("/v1/events?code=", "invalidCode")),
    ]

    @Test(arguments: mistakes)
    func `what can't be asked is told apart`(row: Row<(path: String, code: String)>) throws {
        let server = try TestServer()
        defer { server.stop() }
        let answer = try server.get(row.value.path)
        #expect(answer.status == 400)
        #expect(try Self.value("code", answer) == row.value.code)
    }

    @Test func `an alert's page tells payers, money and what was lost in all`() throws {
        let server = try TestServer()
        defer { server.stop() }
        let money = #","amount":{"minor":39900,"currency":"CNY"}"#
        try Self.post(server, (0..<5).map { Self.event("a\($0)", more: money) })
        let list = try server.get("/v1/alerts")
        let id = try #require(try Self.value("alerts.0.id", list))
        let alert = try server.get("/v1/alerts/\(id)")
        #expect(try Self.value("payers", alert) == "5")
        #expect(try Self.value("amount", alert) == #"[{"currency":"CNY","minor":199500}]"#)
        #expect(try Self.value("whole.failed", alert) == "5")
        #expect(try server.get("/v1/alerts/9-9").status == 404)
    }
}
