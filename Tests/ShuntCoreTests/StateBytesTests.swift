import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// Snapshots and entries that were cut short or damaged are refused, or read as some state: they never trap.
@Suite struct StateBytesTests {
    private static func snapshot(seed: UInt64, entries: Int = 400) -> [UInt8] {
        Fold(RandomJournal.entries(seed: seed, count: entries)).state.encoded()
    }

    /// Whatever was read must be a state that can be asked, folded on and written.
    private static func use(_ state: State, seed: UInt64) {
        var state = state
        for environment in ["production", "_other"] { _ = state.document(environment: environment).json() }
        _ = (state.openAlerts, state.nextDeadline, state.switchView.movedEnvironments)
        for silence in state.alertBook.silences { _ = state.alerts(coveredBy: silence) }
        for entry in RandomJournal.entries(seed: seed, count: 12).dropFirst(2) { _ = state.apply(entry) }
        for key in ["apple-pay", "card"] {
            let command = SwitchCommand(
                action: .restore,
                key: key,
                scope: Scope(environment: "production"),
                actor: "test",
                reason: "test"
            )
            _ = state.apply(Entry(seq: .max, at: Timestamp(milliseconds: .max), input: .command(command)))
        }
        _ = state.encoded()
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `every beginning of a snapshot is refused`(seed: UInt64) throws {
        let bytes = Self.snapshot(seed: seed, entries: 120)
        #expect(try State(decoding: bytes).encoded() == bytes)
        for length in 0..<bytes.count {
            #expect(throws: StateBytesError.self) { try State(decoding: Array(bytes[..<length])) }
        }
        #expect(throws: StateBytesError.malformed) { try State(decoding: bytes + [0]) }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `flipped bits of a snapshot are refused or make a state that works`(seed: UInt64) {
        let bytes = Self.snapshot(seed: seed)
        var random = SeededGenerator(seed: seed)
        var refused = 0
        for _ in 0..<600 {
            var damaged = bytes
            for _ in 0...random.below(3) { damaged[random.below(bytes.count)] ^= 1 << UInt8(random.below(8)) }
            guard let state = try? State(decoding: damaged) else {
                refused += 1
                continue
            }
            if state.encoded() != damaged { Issue.record("read otherwise than written") }
            Self.use(state, seed: seed)
        }
        #expect(refused > 0)
    }

    @Test(arguments: [5, 6] as [UInt64])
    func `words of a snapshot put to extremes are refused or make a state that works`(seed: UInt64) {
        let bytes = Self.snapshot(seed: seed)
        let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, 1_000_000, Int64(Int32.max), .max - 1, .max]
        var random = SeededGenerator(seed: seed)
        // The head, where rules and switches are, at every place; the windows at random ones.
        for step in 0..<1500 {
            let place = step < 900 ? step : random.below(bytes.count - 8)
            guard place + 8 <= bytes.count else { continue }
            var damaged = bytes
            let word = UInt64(bitPattern: random.pick(extremes))
            for offset in 0..<8 {
                damaged[place + offset] = UInt8(truncatingIfNeeded: word >> (8 * UInt64(offset)))
            }
            guard let state = try? State(decoding: damaged) else { continue }
            if state.encoded() != damaged { Issue.record("word \(word) at \(place) is read otherwise than written") }
            Self.use(state, seed: seed)
        }
    }

    @Test func `a snapshot of another format is told apart`() {
        var bytes = State().encoded()
        bytes[0] = 99
        #expect(throws: StateBytesError.unknownFormat) { try State(decoding: bytes) }
    }

    private static let restore = SwitchCommand(
        action: .restore,
        key: "apple-pay",
        scope: Scope(environment: "production", attributes: [ScopeAttribute(name: "region", value: "CN")]),
        actor: "on-call",
        reason: "支付恢复"
    )

    private static let settlement = SettleCommand(
        attempt: "at-1",
        environment: "production",
        result: .notPaid,
        note: "查询返回 34",
        actor: "on-call",
        origin: "127.0.0.1"
    )

    private static func alertCommand(_ action: AlertCommand.Action) -> AlertCommand {
        AlertCommand(action: action, actor: "on-call", origin: "127.0.0.1")
    }

    private static func silence(_ end: SilenceRequest.End) -> SilenceRequest {
        let matchers = [
            AlertMatcher(name: "rule", value: "burst"), AlertMatcher(name: "region", comparison: .unequal, value: "CN"),
        ]
        return SilenceRequest(matchers: matchers, end: end, isUntilResolved: true, comment: "维护")
    }

    private static let inputs: [Row<Input>] =
        [
            Row("the epoch", .founded(epoch: "b7c1")),
            Row("a tick", .tick),
            Row("the built-in rules", .configured(.builtIn)),
            Row("no rules", .configured(RuleSet(rules: [], switches: []))),
            Row("a command", .command(restore)),
            Row("an acknowledgement", .alertCommand(alertCommand(.acknowledge(alert: "7-0", note: "我来", forMs: 9)))),
            Row("a silence", .alertCommand(alertCommand(.silence(silence(.after(ms: 60_000)))))),
            Row("one with an end", .alertCommand(alertCommand(.silence(silence(.at(Timestamp(milliseconds: 9))))))),
            Row("its end", .alertCommand(alertCommand(.expire(silence: "8-0")))),
            Row("a settlement", .settle(settlement)),
        ] + RandomJournal.ruleSets.enumerated().map { Row("rule set \($0.offset)", .configured($0.element)) }

    @Test(arguments: inputs)
    func `an input survives being written, and none of its beginnings is read`(row: Row<Input>) throws {
        let body = row.value.encodedBody()
        #expect(try Input(kind: row.value.kind, body: body) == row.value)
        for length in 0..<body.count {
            #expect(throws: StateBytesError.self) { try Input(kind: row.value.kind, body: Array(body[..<length])) }
        }
        #expect(throws: StateBytesError.malformed) { try Input(kind: row.value.kind, body: body + [0]) }
    }

    @Test(arguments: inputs)
    func `a damaged input with seed 7 is refused or makes a state that works`(row: Row<Input>) {
        let body = row.value.encodedBody()
        var random = SeededGenerator(seed: 7)
        for _ in 0..<1000 {
            var damaged = body
            damaged[random.below(body.count)] = UInt8(random.below(256))
            guard let read = try? Input(kind: row.value.kind, body: damaged) else { continue }
            var state = State()
            _ = state.apply(Entry(seq: 1, at: Timestamp(milliseconds: 0), input: read))
            Self.use(state, seed: 7)
        }
    }

    @Test func `an event's body isn't read as another input`() {
        let event = Input.event(.failure("8771"))
        #expect(throws: StateBytesError.malformed) { try Input(kind: .event, body: event.encodedBody()) }
    }
}
