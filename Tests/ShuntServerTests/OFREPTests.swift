import ShuntCore
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// The OpenFeature Remote Evaluation Protocol through the real server: its rules, a row each.
@Suite struct OFREPTests {
    private func ask(_ server: TestServer, _ rule: Rule) throws -> HTTPTransfer.Response {
        var headers = rule.headers.map { HTTPTransfer.Header($0.0, $0.1) }
        if let type = rule.contentType { headers.append(HTTPTransfer.Header("Content-Type", type)) }
        var transfer = HTTPTransfer()
        return try transfer.perform(
            HTTPTransfer.Request(
                method: rule.method,
                url: "http://127.0.0.1:\(server.port)\(rule.target)",
                headers: headers,
                body: rule.body.map { Array($0.utf8) }
            )
        )
    }

    @Test func `each rule of the protocol`() throws {
        let server = try TestServer()
        defer { server.stop() }
        let epoch = try #require(server.board.document(environment: "production")).document.epoch
        for rule in Self.successes + Self.failures + Self.refusals {
            let response = try ask(server, rule)
            #expect(response.status == rule.status, "\(rule.name): \(response.text)")
            if let answer = rule.answer {
                #expect(response.text == answer.replacing("EPOCH", with: epoch), "\(rule.name)")
            }
            for text in rule.contains { #expect(response.text.contains(text), "\(rule.name): \(response.text)") }
            for (name, value) in rule.fields { #expect(response.header(name) == value, "\(rule.name): \(name)") }
            guard Route(path: rule.target) != nil else { continue }
            #expect(response.header("Access-Control-Allow-Origin") == "*", "\(rule.name)")
            if !response.body.isEmpty { #expect(response.header("Content-Type") == "application/json", "\(rule.name)") }
        }
        // What was refused at the door isn't a poll.
        let polls = server.parts.metrics.snapshot.polls
        #expect(polls[200] == UInt64(Self.successes.count))
        #expect(polls[400] == UInt64(Self.failures.count { $0.status == 400 }))
        #expect(polls[404] == 2)
        #expect(polls.count == 3)
    }

    @Test func `before there is a state, clients are told to come again in whole seconds`() throws {
        let answer = SwitchesEndpoint.notReady.ofrepReply
        #expect(answer.status == 503)
        #expect(answer.body == Array(#"{"errorDetails":"the daemon is starting"}"#.utf8))
        let retryAfter = answer.headers.first { $0.name == "Retry-After" }?.value
        #expect(retryAfter == "1")
        let endpoint = OFREPEndpoint(board: Board())
        let head = HTTPRequestHead(method: .post, target: Self.all)
        let request = HTTPRequest(head: head, body: Array(#"{"context":{}}"#.utf8))
        #expect(throws: Problem.self) { try endpoint.evaluateAll(request) }
        #expect(throws: Problem.self) { try endpoint.evaluate(request, key: "apple-pay") }
    }

    // MARK: The context decides

    private func value(_ server: TestServer, _ context: String) throws -> String {
        let response = try server.post(Self.one, #"{"context":\#(context)}"#)
        #expect(response.status == 200)
        return response.text
    }

    @Test func `a slice is matched by attributes, as the query of a switch is`() throws {
        let server = try TestServer()
        defer { server.stop() }
        let scope = #"{"reason":"r","scope":{"region":"CN","app.version":"4.2.0"}}"#
        #expect(try server.post("/v1/switches/apple-pay/trip", scope).status == 200)
        let moved = [
            #"{"region":"CN","app.version":"4.2.0"}"#, #"{"region":"CN","app":{"version":"4.2.0"}}"#,
            #"{"targetingKey":"t","environment":"production","app.version":"4.2.0","region":"CN","os":{"name":"iOS"}}"#,
            #"{"app.version":"4.2.0","app":{"version":"5"},"region":"CN"}"#,
        ]
        for context in moved {
            let text = try value(server, context)
            #expect(text.contains(#""value":"web","reason":"TARGETING_MATCH","variant":"web""#), "\(context): \(text)")
            #expect(text.contains(#""decidedBy":"app.version=4.2.0, region=CN""#))
        }
        let others = [
            #"{}"#, #"{"region":"CN"}"#, #"{"region":"cn","app.version":"4.2.0"}"#,
            #"{"region":["CN"],"app.version":"4.2.0"}"#, #"{"region":"CN","app.version":4.2}"#,
            #"{"region":"CN","app.version":"4.2.0","environment":"sandbox"}"#,
        ]
        for context in others {
            let text = try value(server, context)
            #expect(text.contains(#""value":"native","reason":"STATIC","variant":"native""#), "\(context): \(text)")
        }
    }

    @Test func `numbers and truth values match as they are written`() throws {
        let server = try TestServer()
        defer { server.stop() }
        let scope = #"{"reason":"r","scope":{"app.build":"812","region":"true"}}"#
        #expect(try server.post("/v1/switches/apple-pay/trip", scope).status == 200)
        #expect(try value(server, #"{"app":{"build":812},"region":true}"#).contains(#""value":"web""#))
        #expect(try value(server, #"{"app":{"build":812.0},"region":true}"#).contains(#""value":"native""#))
    }

    @Test func `a whole environment that is moved is a match`() throws {
        let server = try TestServer()
        defer { server.stop() }
        #expect(try server.post("/v1/switches/apple-pay/trip", #"{"reason":"r"}"#).status == 200)
        let text = try value(server, "{}")
        #expect(text.contains(#""value":"web","reason":"TARGETING_MATCH","variant":"web""#))
        #expect(text.contains(#""switchVersion":2"#))
        #expect(text.contains(#""state":"degraded","decidedBy":"environment""#))
    }

    @Test func `while a share tries the normal way the install decides, and each address says the same`() throws {
        var rules = WriterParts.rules
        rules.switches[0].recovery = RecoveryPolicy(mode: .probe)
        rules.switches[0].recovery.coolDownMs = 20
        rules.switches[0].recovery.coolDownMaxMs = 20
        rules.switches[0].recovery.probePercent = 50
        let server = try TestServer(rules: rules)
        defer { server.stop() }
        for number in 0..<3 {
            let event = #"{"eventId":"\#(number)","error":{"code":"8771"}}"#
            #expect(try server.post("/v1/events", event).status == 202)
        }
        let signal = Signal()
        let deadlineNs = HTTPClock.nowNanoseconds + 30_000_000_000
        while try !server.get("/v1/switches/apple-pay").text.contains("probing"), HTTPClock.nowNanoseconds < deadlineNs
        {
            signal.wait(timeoutMs: 5)
        }
        var variants: [String: Int] = [:]
        for number in 0..<40 {
            let text = try value(server, #"{"targetingKey":"install-\#(number)"}"#)
            let asked = try server.get("/v1/switches/apple-pay?installId=install-\(number)").text
            let variant = text.contains(#""value":"web""#) ? "web" : "native"
            variants[variant, default: 0] += 1
            #expect(text.contains(#""reason":"SPLIT""#), "\(text)")
            #expect(asked.contains("\"variant\":\"\(variant)\""), "\(number): \(asked) \(text)")
            // One that is given as an attribute is an install too.
            #expect(try value(server, #"{"installId":"install-\#(number)"}"#) == text)
        }
        #expect(variants.count == 2, "\(variants)")
        // Whoever can't be told apart isn't sent the way that may be broken.
        #expect(try value(server, "{}").contains(#""value":"web","reason":"SPLIT""#))
        #expect(try value(server, #"{"targetingKey":""}"#).contains(#""value":"web","reason":"SPLIT""#))
    }
}
