import ShuntCore
import ShuntNative
import ShuntSchema
import Testing

@testable import ShuntServer

/// A data folder with a journal that the real `Journal` writes, and back-tests on it.
struct BacktestFixture: ~Copyable {
    let folder: TemporaryFolder
    var journal: Journal

    /// A journal that was founded at noon with these rules live.
    init(live: RuleSet = Self.rules(threshold: 5)) throws {
        let folder = try TemporaryFolder()
        var journal = Journal(folder: try Folder(path: "\(folder.path)/journal"))
        try journal.write(.founded(epoch: "test"), at: Moment.noon)
        try journal.write(.configured(live), at: Moment.noon)
        self.folder = folder
        self.journal = journal
    }

    /// One code that fails so often within a minute trips `apple-pay`; an alert ends ten seconds after the window.
    static func rules(
        id: String = "burst",
        threshold: Int,
        windowMs: Int64 = 60_000,
        _ change: (inout Rule) -> Void = { _ in }
    ) -> RuleSet {
        var rule = Rule(
            id: id,
            description: "burst",
            groupBy: [.errorCode],
            count: .attempts,
            threshold: threshold,
            windowMs: windowMs,
            alert: AlertPolicy(severity: .critical, resolveBelow: 1, holdForMs: 10_000),
            trip: Trip(switchKey: "apple-pay")
        )
        change(&rule)
        return RuleSet(
            rules: [rule],
            switches: [SwitchDefinition(key: "apple-pay", normalVariant: "native", degradedVariant: "web")]
        )
    }

    /// Without a switch, so that alerts end by themselves.
    static func watching(threshold: Int, windowMs: Int64 = 60_000, by dimensions: [Dimension]? = nil) -> RuleSet {
        rules(threshold: threshold, windowMs: windowMs) { rule in
            rule.trip = nil
            rule.groupBy = dimensions ?? rule.groupBy
        }
    }

    static func time(_ seconds: Double) -> Timestamp { Moment.noon.advanced(byMs: Int64(seconds * 1000)) }

    /// Writes a payment, so many seconds after noon.
    mutating func pay(
        _ seconds: Double,
        failing code: String? = nil,
        attempt: String? = nil,
        _ change: (inout PaymentEvent) -> Void = { _ in }
    ) throws {
        var event = PaymentEvent(outcome: code == nil ? .succeeded : .failed)
        if let code { event.error = ErrorReport(domain: "verify", code: code) }
        event.attemptId = attempt ?? "attempt at \(seconds)"
        change(&event)
        _ = try journal.write([event], at: Self.time(seconds))
    }

    /// Writes a person's decision.
    mutating func command(_ action: SwitchCommand.Action, _ seconds: Double, key: String = "apple-pay") throws {
        let command = SwitchCommand(
            action: action,
            key: key,
            scope: Scope(environment: "production"),
            actor: "test",
            reason: "test"
        )
        try journal.write(.command(command), at: Self.time(seconds))
    }

    func run(_ rules: RuleSet, since: Double = 0, now: Double = 36_000) throws -> BacktestReport {
        try Backtest(dataPath: folder.path, ruleSet: rules, since: Self.time(since), now: Self.time(now)).run()
    }
}
