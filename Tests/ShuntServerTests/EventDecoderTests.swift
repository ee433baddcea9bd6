import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// One event: what is taken, what is refused, and the exact place and code of each refusal.
@Suite struct EventDecoderTests {
    private func decode(_ json: String, door: EventDecoder.Door = .intake) throws -> (PaymentEvent, unknown: Int) {
        var document = JSONDocument()
        try document.parse(Array(json.utf8))
        var decoder = EventDecoder(door: door)
        let event = try decoder.decode(document.root, in: document)
        return (event, decoder.unknownFields)
    }

    private func problem(_ json: String) throws -> EventProblem? {
        do {
            _ = try decode(json)
            return nil
        } catch let problem as EventProblem {
            return problem
        }
    }

    // MARK: Refusals

    struct Refusal: Sendable {
        var json: String
        var pointer: String
        var code: EventProblem.Code
    }

    static func refusal(_ json: String, _ pointer: String, _ code: EventProblem.Code) -> Row<Refusal> {
        Row(json, Refusal(json: json, pointer: pointer, code: code))
    }

    /// A member of an event whose error is sound.
    static func member(_ member: String, _ pointer: String, _ code: EventProblem.Code) -> Row<Refusal> {
        refusal(#"{"error":{"code":"1"},\#(member)}"#, pointer, code)
    }

    static let refusals: [Row<Refusal>] =
        [
            refusal("5", "", .wrongType), refusal("[]", "", .wrongType), refusal("null", "", .wrongType),
            refusal("{}", "/error/code", .missing), refusal(#"{"error":null}"#, "/error/code", .missing),
            refusal(#"{"error":{}}"#, "/error/code", .missing), refusal(#"{"error":5}"#, "/error", .wrongType),
            refusal(#"{"error":{"code":""}}"#, "/error/code", .missing),
            refusal(#"{"error":{"code":null}}"#, "/error/code", .missing),
            refusal(#"{"error":{"code":1.5}}"#, "/error/code", .wrongType),
            refusal(#"{"error":{"code":1e3}}"#, "/error/code", .wrongType),
            refusal(#"{"error":{"code":true}}"#, "/error/code", .wrongType),
            refusal(#"{"error":{"code":["1"]}}"#, "/error/code", .wrongType),
            refusal(#"{"error":{"code":"1","domain":{}}}"#, "/error/domain", .wrongType),
            refusal(#"{"error":{"code":"1","subcode":false}}"#, "/error/subcode", .wrongType),
            refusal(#"{"error":{"code":"1","message":5}}"#, "/error/message", .wrongType),
            refusal(#"{"error":{"code":"1","httpStatus":"503"}}"#, "/error/httpStatus", .wrongType),
            refusal(#"{"error":{"code":"1","httpStatus":-1}}"#, "/error/httpStatus", .outOfRange),
            refusal(#"{"error":{"code":"1","httpStatus":1000}}"#, "/error/httpStatus", .outOfRange),
            refusal(#"{"error":{"code":"1","httpStatus":200.5}}"#, "/error/httpStatus", .wrongType),
            refusal(#"{"error":{"code":"1","underlying":{}}}"#, "/error/underlying", .wrongType),
            refusal(#"{"error":{"code":"1","underlying":[5]}}"#, "/error/underlying/0", .wrongType),
            refusal(
                #"{"error":{"code":"1","underlying":[{"code":"1"},{"domain":"d"}]}}"#,
                "/error/underlying/1/code",
                .missing
            ),
            refusal(
                #"{"error":{"code":"1","underlying":[{"code":1.5}]}}"#,
                "/error/underlying/0/code",
                .wrongType
            ),
            refusal(
                #"{"error":{"code":"1","underlying":[\#(Array(repeating: #"{"code":"1"}"#, count: 17).joined(separator: ","))]}}"#,
                "/error/underlying",
                .tooMany
            ),
            member(#""eventId":5"#, "/eventId", .wrongType),
            member(#""occurredAt":1796040000000"#, "/occurredAt", .invalidTime),
            member(#""occurredAt":"yesterday""#, "/occurredAt", .invalidTime),
            member(#""occurredAt":"2026-02-30T00:00:00Z""#, "/occurredAt", .invalidTime),
            member(#""occurredAt":"2026-11-30T04:49:00""#, "/occurredAt", .invalidTime),
            member(#""occurredAt":"9999-12-31T23:59:59-00:01""#, "/occurredAt", .invalidTime),
            member(#""occurredAt":"1970-01-01T00:00:00+00:01""#, "/occurredAt", .invalidTime),
            member(#""occurredAt":"""#, "/occurredAt", .invalidTime),
            member(#""stage":"nowhere""#, "/stage", .unknownValue), member(#""stage":7"#, "/stage", .wrongType),
            member(#""stage":"Charge""#, "/stage", .unknownValue),
            member(#""outcome":"won""#, "/outcome", .unknownValue), member(#""outcome":[]"#, "/outcome", .wrongType),
            member(#""switchVersion":-1"#, "/switchVersion", .outOfRange),
            member(#""switchVersion":9223372036854775808"#, "/switchVersion", .wrongType),
            member(#""switchVersion":"7""#, "/switchVersion", .wrongType),
            member(#""durationMs":-1"#, "/durationMs", .outOfRange),
            member(#""durationMs":1.0"#, "/durationMs", .wrongType),
            member(#""bodyBytes":-9223372036854775808"#, "/bodyBytes", .outOfRange),
            member(#""app":"com.example""#, "/app", .wrongType),
            member(#""app":{"build":812}"#, "/app/build", .wrongType),
            member(#""os":[]"#, "/os", .wrongType), member(#""os":{"version":17}"#, "/os/version", .wrongType),
            member(#""amount":399"#, "/amount", .wrongType), member(#""amount":{}"#, "/amount/minor", .missing),
            member(#""amount":{"minor":null,"currency":"CNY"}"#, "/amount/minor", .missing),
            member(#""amount":{"minor":1}"#, "/amount/currency", .missing),
            member(#""amount":{"minor":1,"currency":null}"#, "/amount/currency", .missing),
            member(#""amount":{"minor":3.99,"currency":"CNY"}"#, "/amount/minor", .wrongType),
            member(#""amount":{"minor":99999999999999999999,"currency":"CNY"}"#, "/amount/minor", .wrongType),
            member(#""amount":{"minor":"399","currency":"CNY"}"#, "/amount/minor", .wrongType),
            member(#""amount":{"minor":1,"currency":"cny"}"#, "/amount/currency", .unknownValue),
            member(#""amount":{"minor":1,"currency":"YUAN"}"#, "/amount/currency", .unknownValue),
            member(#""amount":{"minor":1,"currency":"é1"}"#, "/amount/currency", .unknownValue),
            member(#""amount":{"minor":1,"currency":156}"#, "/amount/currency", .wrongType),
            member(#""context":[]"#, "/context", .wrongType), member(#""context":{"a":{}}"#, "/context/a", .wrongType),
            member(#""context":{"a/b~c":[1]}"#, "/context/a~1b~0c", .wrongType),
            member(#""context":{"":[]}"#, "/context/", .wrongType),
            member(#""context":{"n":1e999}"#, "/context/n", .outOfRange),
            member(
                #""context":{\#((0..<33).map { #""k\#($0)":1"# }.joined(separator: ","))}"#,
                "/context",
                .tooMany
            ),
            member(#""context":{"\#(String(repeating: "k", count: 129))":1}"#, "/context", .tooLong),
            member(#""kind":"gauge""#, "/kind", .unknownValue), member(#""count":5"#, "/kind", .missing),
            member(#""kind":"counts","count":5"#, "/outcome", .unknownValue),
            refusal(#"{"kind":"counts","outcome":"succeeded"}"#, "/from", .missing),
            refusal(
                #"{"kind":"counts","outcome":"attempted","from":"2026-11-30T00:00:00Z"}"#,
                "/to",
                .missing
            ),
            counter(#""from":"2026-11-30T00:00:00Z","to":"2026-11-30T00:00:01Z""#, "/count", .missing),
            counter(
                #""from":"2026-11-30T00:00:02Z","to":"2026-11-30T00:00:01Z","count":1"#,
                "/to",
                .outOfRange
            ),
            counter(#""count":0"#, "/count", .outOfRange), counter(#""count":1000000001"#, "/count", .outOfRange),
            counter(#""from":5"#, "/from", .invalidTime),
        ]

    static func counter(_ members: String, _ pointer: String, _ code: EventProblem.Code) -> Row<Refusal> {
        refusal(#"{"kind":"counts","outcome":"succeeded",\#(members)}"#, pointer, code)
    }

    @Test(arguments: refusals)
    func `a bad event is refused at its place`(row: Row<Refusal>) throws {
        let found = try problem(row.value.json)
        #expect(found?.pointer == row.value.pointer)
        #expect(found?.code == row.value.code)
        #expect(found?.detail.isEmpty == false)
    }

    // MARK: Limits

    struct TextLimit: Sendable {
        var pointer: String
        var limit: Int

        /// An event with a text at the pointer.
        func json(_ text: String) -> String {
            let parts = pointer.split(separator: "/")
            let quoted = "\"\(text)\""
            switch pointer {
            case "/error/code": return #"{"error":{"code":\#(quoted)}}"#
            case "/error/underlying/0/code": return #"{"error":{"code":"1","underlying":[{"code":\#(quoted)}]}}"#
            case "/error/underlying/0/domain":
                return #"{"error":{"code":"1","underlying":[{"code":"1","domain":\#(quoted)}]}}"#
            case _ where parts.count == 1: return #"{"error":{"code":"1"},"\#(parts[0])":\#(quoted)}"#
            case _ where parts[0] == "error": return #"{"error":{"code":"1","\#(parts[1])":\#(quoted)}}"#
            default: return #"{"error":{"code":"1"},"\#(parts[0])":{"\#(parts[1])":\#(quoted)}}"#
            }
        }
    }

    static let limits: [Row<TextLimit>] =
        [
            "/source", "/environment", "/paymentMethod", "/network", "/psp", "/route", "/region", "/tokenVersion",
            "/app/version", "/app/build", "/os/name", "/os/version",
        ].map { Row($0, TextLimit(pointer: $0, limit: 64)) }
        + [
            "/eventId", "/attemptId", "/orderRef", "/pspReference", "/installId", "/traceId", "/deviceModel",
            "/merchantId", "/requestHost", "/app/bundleId",
        ].map { Row($0, TextLimit(pointer: $0, limit: 256)) }
        + [
            "/error/domain", "/error/code", "/error/subcode", "/error/underlying/0/domain", "/error/underlying/0/code",
        ].map { Row($0, TextLimit(pointer: $0, limit: 200)) }

    @Test(arguments: limits)
    func `a text may be as long as its limit, in bytes, and no longer`(row: Row<TextLimit>) throws {
        let limit = row.value
        #expect(try problem(limit.json(String(repeating: "x", count: limit.limit))) == nil)
        #expect(try problem(limit.json(String(repeating: "é", count: limit.limit / 2))) == nil)
        for text in [
            String(repeating: "x", count: limit.limit + 1), String(repeating: "é", count: limit.limit / 2 + 1),
        ] {
            let found = try problem(limit.json(text))
            #expect(found?.code == .tooLong)
            #expect(found?.pointer == limit.pointer)
            _ = try decode(limit.json(text), door: .journal)
        }
    }

    @Test func `every text of an event has a row`() {
        let tops = Set(Self.limits.compactMap { $0.name.split(separator: "/").first.map(String.init) })
        let others: Set<String> = [
            "occurredAt", "stage", "outcome", "switchVersion", "amount", "durationMs", "bodyBytes", "context", "kind",
            "from", "to", "count",
        ]
        #expect(tops.union(others) == Set(EventField.allCases.map { "\($0)" }))
    }

    @Test func `a message and a context's texts are cut, not refused`() throws {
        let long = String(repeating: "é", count: 3000)
        let event = try decode(#"{"error":{"code":"1","message":"x\#(long)"},"context":{"k":"\#(long)"}}"#).0
        #expect(event.error?.message == "x" + String(repeating: "é", count: 2047))
        #expect(event.context == [ContextEntry(key: "k", value: .string(String(repeating: "é", count: 512)))])
    }

    struct Cut: Sendable {
        var text: String
        var limit: Int
        var result: String
    }

    @Test(arguments: [
        Row("shorter", Cut(text: "abc", limit: 4, result: "abc")),
        Row("as long", Cut(text: "abcd", limit: 4, result: "abcd")),
        Row("longer", Cut(text: "abcde", limit: 4, result: "abcd")),
        Row("in a scalar of two bytes", Cut(text: "abcé", limit: 4, result: "abc")),
        Row("in a scalar of four bytes", Cut(text: "a\u{1F600}b", limit: 4, result: "a")),
        Row("between a letter and its accent", Cut(text: "abe\u{301}", limit: 3, result: "abe")),
        Row("to nothing", Cut(text: "é", limit: 1, result: "")),
        Row("at zero", Cut(text: "abc", limit: 0, result: "")),
    ])
    func `a text is cut between two scalars`(row: Row<Cut>) {
        let cut = row.value.text.cut(toUTF8: row.value.limit)
        #expect(Array(cut.utf8) == Array(row.value.result.utf8))
    }

    @Test func `one endless character is cut as fast as any text`() {
        let endless = "a" + String(repeating: "\u{301}", count: 30_000)
        let beganNs = HTTPClock.nowNanoseconds
        for _ in 0..<100 { #expect(endless.cut(toUTF8: 4096).utf8.count == 4095) }
        // It took seconds each before; a slow machine has a hundred times what it needs.
        #expect(HTTPClock.nowNanoseconds - beganNs < 10_000_000_000)
    }

    // MARK: What is taken

    @Test(arguments: [
        Row(#""05""#, "05"), Row(#""5""#, "5"), Row("5", "5"), Row("-1001", "-1001"), Row("-0", "-0"), Row("0", "0"),
        Row(#""007""#, "007"), Row("9223372036854775807", "9223372036854775807"),
        Row("-9223372036854775809", "-9223372036854775809"),
        Row("123456789012345678901234567890", "123456789012345678901234567890"), Row(#"" 5 ""#, " 5 "),
        Row(#""\u0035""#, "5"),
    ])
    func `a code is kept as it was written`(row: Row<String>) throws {
        let event = try decode(#"{"error":{"code":\#(row.name),"subcode":\#(row.name),"domain":\#(row.name)}}"#).0
        #expect(event.error?.code == row.value)
        #expect(event.error?.subcode == row.value)
        #expect(event.error?.domain == row.value)
    }

    @Test func `an integer of more digits than a code may have is too long`() throws {
        #expect(try problem(#"{"error":{"code":\#(String(repeating: "9", count: 200))}}"#) == nil)
        let found = try problem(#"{"error":{"code":\#(String(repeating: "9", count: 201))}}"#)
        #expect(found?.code == .tooLong)
    }

    @Test func `a minimal event takes the defaults`() throws {
        let event = try decode(#"{"error":{"code":"8771"}}"#).0
        #expect(event == PaymentEvent(error: ErrorReport(code: "8771")))
        #expect(event.source == "backend" && event.environment == "production")
        #expect(event.stage == .unknown && event.outcome == .failed && event.error?.domain == "unknown")
    }

    @Test(arguments: ["succeeded", "attempted", "cancelled"])
    func `only a failure needs an error`(outcome: String) throws {
        #expect(try decode(#"{"outcome":"\#(outcome)"}"#).0.error == nil)
    }

    @Test func `null is the same as absent, and so is an empty text`() throws {
        let names = EventField.allCases.map { "\($0)" }.filter { $0 != "error" }
        let nulls = names.map { "\"\($0)\":null" }.joined(separator: ",")
        let (event, unknown) = try decode(
            #"""
            {"error":{"code":"1","domain":null,"subcode":null,"message":null,"httpStatus":null,"underlying":null},\#(nulls)}
            """#
        )
        #expect(event == PaymentEvent(error: ErrorReport(code: "1")))
        #expect(unknown == 0)
        let empties = Self.limits.map(\.name).filter { $0.split(separator: "/").count == 1 }.map {
            "\"\($0.dropFirst())\":\"\""
        }
        #expect(try decode(#"{"error":{"code":"1"},\#(empties.joined(separator: ","))}"#).0 == event)
    }

    @Test func `unknown members are ignored and counted, at every level that is known`() throws {
        let (event, unknown) = try decode(
            #"""
            {"error":{"code":"1","x":1,"underlying":[{"code":"2","x":{"y":[1,2]}}]},"x":null,"ErrorCode":"","app":{"x":1},
             "os":{"x":1},"amount":{"minor":1,"currency":"CNY","x":1},"context":{"x":1}}
            """#
        )
        #expect(unknown == 7)
        #expect(event.context.count == 1)
    }

    @Test func `a counter stands for many`() throws {
        let json =
            #"{"kind":"counts","outcome":"succeeded","from":"2026-11-30T00:00:00Z","to":"2026-11-30T00:00:00Z","count":57}"#
        let event = try decode(json).0
        #expect(event.counts == Counts(from: Moment.midnight, to: Moment.midnight, count: 57))
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func `canonical JSON is decoded to the same event, by either door`(seed: UInt64) throws {
        var random = RandomEvent(seed: seed)
        var document = JSONDocument()
        for _ in 0..<400 {
            let event = random.event()
            try document.parse(event.json)
            for door in [EventDecoder.Door.intake, .journal] {
                var decoder = EventDecoder(door: door)
                let decoded = try decoder.decode(document.root, in: document)
                try #require(decoded == event)
                try #require(decoded.json == event.json)
                try #require(decoder.unknownFields == 0)
            }
        }
    }
}
