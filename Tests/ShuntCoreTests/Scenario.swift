import ShuntCore
import ShuntSchema

/// Tells a story to a state: entries numbered and timed by hand.
struct Scenario {
    private(set) var state = State()
    private(set) var effects: [Effect] = []
    private(set) var seq: UInt64 = 0
    private(set) var nowMs: Int64 = 0

    init(_ ruleSet: RuleSet = .builtIn) {
        apply(.founded(epoch: "test"))
        apply(.configured(ruleSet))
    }

    /// Folds one entry in, at the time of the last one unless told otherwise.
    @discardableResult
    mutating func apply(_ input: Input, atMs: Int64? = nil) -> [Effect] {
        nowMs = atMs ?? nowMs
        seq += 1
        let new = state.apply(Entry(seq: seq, at: Timestamp(milliseconds: nowMs), input: input))
        effects += new
        return new
    }

    /// So many failures of different attempts, one every `everyMs`, the first one at `fromMs`.
    @discardableResult
    mutating func fail(
        _ code: String = "8771",
        in environment: String = "production",
        times: Int,
        fromMs: Int64? = nil,
        everyMs: Int64 = 0
    ) -> [Effect] {
        var new: [Effect] = []
        let start = fromMs ?? nowMs
        for number in 0..<times {
            var event = PaymentEvent.failure(code)
            event.environment = environment
            event.attemptId = "attempt-\(seq)-\(number)"
            new += apply(.event(event), atMs: start + Int64(number) * everyMs)
        }
        return new
    }

    @discardableResult
    mutating func command(
        _ action: SwitchCommand.Action,
        _ scope: Scope = Scope(environment: "production"),
        key: String = "apple-pay",
        atMs: Int64? = nil
    ) -> [Effect] {
        apply(
            .command(SwitchCommand(action: action, key: key, scope: scope, actor: "on-call", reason: "test")),
            atMs: atMs
        )
    }

    /// The state goes through its bytes.
    mutating func restart() throws {
        state = try State(decoding: state.encoded())
    }

    /// The variant that apps of an environment are told.
    func variant(in environment: String = "production") -> String? {
        state.document(environment: environment).switches.first?.variant
    }
}

extension RuleSet {
    /// The built-in rules, but people are told once.
    static let withoutReminders: RuleSet = {
        var ruleSet = RuleSet.builtIn
        ruleSet.rules[0].alert.renotifyEveryMs = nil
        return ruleSet
    }()
}

extension PaymentEvent {
    static func failure(_ code: String, domain: String = "verify") -> PaymentEvent {
        PaymentEvent(error: ErrorReport(domain: domain, code: code))
    }
}

extension [Effect] {
    /// The alerts' changes, in order.
    var alertChanges: [AlertChange] {
        compactMap { if case .alertChanged(let change) = $0.kind { change } else { nil } }
    }

    /// The switches' moves, in order.
    var moves: [SwitchTransition] {
        compactMap { if case .switchMoved(let transition) = $0.kind { transition } else { nil } }
    }

    /// A line a effect, short enough to read in a failure.
    var story: [String] {
        map {
            switch $0.kind {
            case .switchMoved(let transition):
                "\(transition.key) [\(transition.scope.text)] to \(transition.variant), version \(transition.version)"
            case .alertChanged(let change):
                "\(change.input.rawValue): \(change.alert.rule) is \(change.alert.phase.rawValue)"
            }
        }
    }
}
