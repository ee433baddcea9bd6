import ShuntCore
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// `/v1/alerts` and `/v1/silences`, through the real server.
@Suite struct AlertDoorTests {
    private static func delete(_ server: TestServer, _ target: String) throws -> HTTPTransfer.Response {
        var request = server.request(target)
        request.method = "DELETE"
        var transfer = HTTPTransfer()
        return try transfer.perform(request)
    }

    /// Three failures of a code within ten seconds trip; it's over a moment after a restore.
    private static let rules = RuleSet(
        rules: [
            Rule(
                id: "burst",
                description: "burst",
                groupBy: [.errorDomain, .errorCode],
                count: .events,
                threshold: 3,
                windowMs: 10_000,
                alert: AlertPolicy(severity: .critical, resolveBelow: 1, holdForMs: 100),
                trip: Trip(switchKey: "apple-pay")
            )
        ],
        switches: WriterParts.rules.switches
    )

    /// Three failures fire the rule that trips.
    private static func fire(_ server: TestServer, _ code: String = "8771") throws {
        for _ in 0..<3 {
            let body = #"{"error":{"domain":"verify","code":"\#(code)"}}"#
            #expect(try server.post("/v1/events", body).status == 202)
        }
    }

    /// The values of a member of all alerts, or of all silences.
    private static func values(_ key: String, _ response: HTTPTransfer.Response) throws -> [String] {
        var document = JSONDocument()
        try document.parse(response.body)
        guard
            let list = document.member("alerts", of: document.root)
                ?? document.member("silences", of: document.root)
        else { return [] }
        var values: [String] = []
        var elements = document.children(of: list)
        while let element = elements.next(in: document) {
            values.append(document.member(key, of: element).flatMap { document.string(of: $0) } ?? "")
        }
        return values
    }

    private static func member(_ key: String, _ response: HTTPTransfer.Response) throws -> String {
        var document = JSONDocument()
        try document.parse(response.body)
        return document.member(key, of: document.root).flatMap { document.string(of: $0) } ?? ""
    }

    // MARK: Looking

    @Test func `alerts are listed newest first, by state, rule and page`() throws {
        let server = try TestServer(rules: Self.rules)
        defer { server.stop() }
        try Self.fire(server)
        try Self.fire(server, "1")
        let all = try server.get("/v1/alerts?rule=burst")
        #expect(all.status == 200)
        let ids = try Self.values("id", all)
        #expect(ids.count == 2)
        #expect(try Self.values("summary", all).first == "verify/1: 3 events failed within 10 s", "\(all.text)")
        let first = try server.get("/v1/alerts?rule=burst&state=firing&limit=1")
        #expect(try Self.values("id", first) == [ids[0]])
        let cursor = try Self.member("nextCursor", first)
        let second = try server.get("/v1/alerts?rule=burst&state=firing,pending&limit=1&cursor=\(cursor)")
        #expect(try Self.values("id", second) == [ids[1]])
        #expect(try Self.member("nextCursor", second) == "")
        #expect(try Self.values("id", try server.get("/v1/alerts?state=resolved")).isEmpty)
        #expect(try Self.values("id", try server.get("/v1/alerts?rule=none")).isEmpty)
        #expect(try Self.values("id", try server.get("/v1/alerts?environment=sandbox")).isEmpty)
    }

    @Test func `one alert shows its group, its count and what was decided`() throws {
        let server = try TestServer(rules: Self.rules)
        defer { server.stop() }
        try Self.fire(server)
        let id = try Self.values("id", try server.get("/v1/alerts?rule=burst"))[0]
        let alert = try server.get("/v1/alerts/\(id)")
        #expect(alert.status == 200)
        for text in [
            #""severity":"critical""#, #""state":"mitigated""#, #""environment":"production""#, #""error.code":"8771""#,
            #""count":3"#, #""threshold":3"#, #""key":"apple-pay""#, #""action":"tripped","version":2"#,
        ] {
            #expect(alert.text.contains(text), "\(alert.text)")
        }
        let unknown = try server.get("/v1/alerts/1-7")
        #expect(unknown.status == 404 && unknown.text.contains(#""code":"unknownAlert""#))
    }

    @Test(arguments: [
        Row("/v1/alerts?state=fired", "invalidState"), Row("/v1/alerts?state=", "invalidState"),
        Row("/v1/alerts?limit=0", "invalidLimit"), Row("/v1/alerts?limit=501", "invalidLimit"),
        Row("/v1/alerts?cursor=x", "invalidCursor"), Row("/v1/alerts?environment=", "invalidEnvironment"),
    ])
    func `a question that can't be read is refused by name`(row: Row<String>) throws {
        let server = try TestServer(rules: Self.rules)
        defer { server.stop() }
        let reply = try server.get(row.name)
        #expect(reply.status == 400)
        #expect(reply.text.contains(#""code":"\#(row.value)""#), "\(reply.text)")
    }

    // MARK: Acknowledgements

    @Test func `an alert is taken, and who has it is seen and audited`() throws {
        let server = try TestServer(rules: Self.rules)
        defer { server.stop() }
        try Self.fire(server)
        let id = try Self.values("id", try server.get("/v1/alerts?rule=burst"))[0]
        let taken = try server.post("/v1/alerts/\(id)/ack", #"{"note":"calling the bank","forSec":60}"#)
        #expect(taken.status == 200, "\(taken.text)")
        #expect(taken.text.contains(#""acknowledgedBy":"127.0.0.1""#), "\(taken.text)")
        let shown = try server.get("/v1/alerts/\(id)").text
        #expect(shown.contains(#""note":"calling the bank""#))
        let audit = try server.get("/v1/audit?limit=1").text
        #expect(audit.contains(#""kind":"alertCommand","action":"acknowledge","alert":"\#(id)""#), "\(audit)")
        #expect(audit.contains(#""reason":"calling the bank","result":"done""#), "\(audit)")
    }

    @Test func `what is unknown is 404, and what has ended 409`() throws {
        let server = try TestServer(rules: Self.rules)
        defer { server.stop() }
        let unknown = try server.post("/v1/alerts/1-0/ack", "{}")
        #expect(unknown.status == 404 && unknown.text.contains(#""code":"unknownAlert""#))
        try Self.fire(server)
        let id = try Self.values("id", try server.get("/v1/alerts?rule=burst"))[0]
        #expect(try server.post("/v1/switches/apple-pay/restore", #"{"reason":"r"}"#).status == 200)
        let signal = Signal()
        let deadlineNs = HTTPClock.nowNanoseconds + 30_000_000_000
        while try Self.values("id", try server.get("/v1/alerts?state=resolved")).isEmpty,
            HTTPClock.nowNanoseconds < deadlineNs
        { signal.wait(timeoutMs: 20) }
        let ended = try server.post("/v1/alerts/\(id)/ack", "{}")
        #expect(ended.status == 409 && ended.text.contains(#""code":"alreadyResolved""#), "\(ended.text)")
        #expect(try server.get("/v1/alerts/\(id)").text.contains(#""state":"resolved""#), "and stays ended")
    }

    @Test(arguments: [
        Row(#"{"forSec":0}"#, "outOfRange"), Row(#"{"forSec":86401}"#, "outOfRange"),
        Row(#"{"note":7}"#, "wrongShape"), Row("[]", "wrongShape"),
    ])
    func `an acknowledgement that can't be is refused`(row: Row<String>) throws {
        let server = try TestServer(rules: Self.rules)
        defer { server.stop() }
        let reply = try server.post("/v1/alerts/1-0/ack", row.name)
        #expect(reply.status == 422 && reply.text.contains(#""code":"\#(row.value)""#), "\(reply.text)")
    }

    // MARK: Silences

    private static let silence =
        #"{"matchers":[{"name":"rule","value":"burst"}],"startsAt":"2099-01-01T00:00:00Z","forSec":600,"comment":"renewal"}"#

    @Test func `a silence is made, listed with what it hides, and ended`() throws {
        let server = try TestServer(rules: Self.rules)
        defer { server.stop() }
        let made = try server.post("/v1/silences", Self.silence)
        #expect(made.status == 201, "\(made.text)")
        #expect(!made.text.contains("2099"), "it begins when it is received")
        let id = try Self.member("id", made)
        try Self.fire(server)
        let alert = try Self.values("id", try server.get("/v1/alerts?rule=burst"))[0]
        let listed = try server.get("/v1/silences").text
        #expect(listed.contains(#""hides":["\#(alert)"],"hidesCount":1"#), "\(listed)")
        #expect(try server.get("/v1/alerts/\(alert)").text.contains(#""silencedBy":["\#(id)"]"#))
        #expect(try Self.delete(server, "/v1/silences/\(id)").status == 200)
        #expect(try server.get("/v1/alerts/\(alert)").text.contains(#""silencedBy":[]"#))
        let again = try Self.delete(server, "/v1/silences/\(id)")
        #expect(again.status == 404 && again.text.contains(#""code":"unknownSilence""#))
        let audit = try server.get("/v1/audit").text
        #expect(audit.contains(#""matchers":["rule=burst"],"forMs":600000,"untilResolved":false,"silence":"\#(id)""#))
    }

    private static let refusals: [Row<(String, String)>] = [
        Row("no comment", (#"{"matchers":[{"name":"rule","value":"a"}],"forSec":60}"#, "commentMissing")),
        Row("no end", (#"{"matchers":[{"name":"rule","value":"a"}],"comment":"c"}"#, "endMissing")),
        Row("no matchers", (#"{"matchers":[],"forSec":60,"comment":"c"}"#, "noMatchers")),
        Row("a month", (#"{"matchers":[{"name":"rule","value":"a"}],"forSec":2592000,"comment":"c"}"#, "outOfRange")),
        Row(
            "until 2099",
            (
                #"{"matchers":[{"name":"rule","value":"a"}],"endsAt":"2099-01-01T00:00:00Z","comment":"c"}"#,
                "endsTooLate"
            )
        ),
        Row(
            "until long ago",
            (#"{"matchers":[{"name":"rule","value":"a"}],"endsAt":"1999-01-01T00:00:00Z","comment":"c"}"#, "endsInPast")
        ),
        Row("a name that is none", (#"{"matchers":[{"name":"host","value":"a"}],"comment":"c"}"#, "unknownAttribute")),
        Row("no value", (#"{"matchers":[{"name":"rule","value":""}],"comment":"c"}"#, "wrongShape")),
        Row(
            "an operator that isn't there",
            (#"{"matchers":[{"name":"rule","value":"a","op":"=~"}],"comment":"c"}"#, "unknownOperator")
        ),
    ]

    @Test(arguments: refusals)
    private func `a silence that can't be is refused, and none is made`(row: Row<(String, String)>) throws {
        let server = try TestServer(rules: Self.rules)
        defer { server.stop() }
        let reply = try server.post("/v1/silences", row.value.0)
        #expect(reply.status == 422 && reply.text.contains(#""code":"\#(row.value.1)""#), "\(reply.text)")
        #expect(try Self.values("id", try server.get("/v1/silences")).isEmpty)
    }

    @Test func `other methods are told which there are`() throws {
        let server = try TestServer(rules: Self.rules)
        defer { server.stop() }
        let post = try server.post("/v1/alerts", "{}")
        #expect(post.status == 405 && post.header("Allow") == "GET, HEAD")
        let get = try server.get("/v1/silences/1-0")
        #expect(get.status == 405 && get.header("Allow") == "DELETE")
        let delete = try Self.delete(server, "/v1/silences")
        #expect(delete.status == 405 && delete.header("Allow") == "GET, HEAD, POST")
    }
}
