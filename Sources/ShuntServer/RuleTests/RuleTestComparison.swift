internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// What is expected, held against what the state says.
extension RuleTestRun {
    func failure(of expectation: RuleTestExpectation) -> RuleTestFailure? {
        let differences = [
            alertDifference(expectation), versionDifference(expectation), moveDifference(expectation),
            notificationDifference(expectation),
        ]
        let all = switchDifferences(expectation) + stateDifferences(expectation) + differences.compactMap(\.self)
        guard !all.isEmpty else { return nil }
        return RuleTestFailure(
            atMs: expectation.atMs,
            line: expectation.position.line,
            column: expectation.position.column,
            differences: all,
            rules: tallies.progress(of: subjects, in: state)
        )
    }

    private func document(_ expectation: RuleTestExpectation) -> SwitchDocument {
        state.document(environment: expectation.environment ?? PaymentEvent.defaultEnvironment)
    }

    // MARK: Switches

    private func switchDifferences(_ expectation: RuleTestExpectation) -> [RuleTestDifference] {
        let statuses = document(expectation).switches
        return (expectation.switches ?? []).compactMap { key, expected in
            let decision = statuses.first { $0.key == key }?.decision(for: expectation.payer)
            guard decision?.variant != expected else { return nil }
            return RuleTestDifference(
                subject: "switch \(key)",
                expected: [expected],
                actual: [decision?.variant ?? "no such switch"]
            )
        }
    }

    private func stateDifferences(_ expectation: RuleTestExpectation) -> [RuleTestDifference] {
        let statuses = document(expectation).switches
        return (expectation.states ?? []).compactMap { key, expected in
            let decision = statuses.first { $0.key == key }?.decision(for: expectation.payer)
            guard decision?.state != expected else { return nil }
            return RuleTestDifference(
                subject: "state of \(key)",
                expected: [expected.rawValue],
                actual: [decision?.state.rawValue ?? "no such switch"]
            )
        }
    }

    private func versionDifference(_ expectation: RuleTestExpectation) -> RuleTestDifference? {
        guard let expected = expectation.version else { return nil }
        let actual = document(expectation).version
        guard actual != UInt64(expected) else { return nil }
        return RuleTestDifference(subject: "version", expected: ["\(expected)"], actual: ["\(actual)"])
    }

    private func moveDifference(_ expectation: RuleTestExpectation) -> RuleTestDifference? {
        guard let expected = expectation.transitions else { return nil }
        let environment = expectation.environment ?? PaymentEvent.defaultEnvironment
        let actual = moves.filter { $0.scope.environment == environment }
        let isAsExpected = expected.count == actual.count && zip(expected, actual).allSatisfy { $0.holds(for: $1) }
        guard !isAsExpected else { return nil }
        return RuleTestDifference(
            subject: "transitions",
            expected: expected.map(\.words),
            actual: actual.map(\.words)
        )
    }

    private func notificationDifference(_ expectation: RuleTestExpectation) -> RuleTestDifference? {
        guard let expected = expectation.notifications else { return nil }
        let actual = notifications.filter { change in
            expectation.environment.map { change.alert.group.first?.value == $0 } ?? true
        }
        let isAsExpected = expected.count == actual.count && zip(expected, actual).allSatisfy { $0.holds(for: $1) }
        guard !isAsExpected else { return nil }
        return RuleTestDifference(
            subject: "notifications",
            expected: expected.map(\.words),
            actual: actual.map(\.words)
        )
    }

    // MARK: Alerts

    private func alertDifference(_ expectation: RuleTestExpectation) -> RuleTestDifference? {
        guard let expected = expectation.alerts else { return nil }
        let open = state.openAlerts.filter { alert in
            guard subjects.contains(alert.rule) else { return false }
            guard let environment = expectation.environment else { return true }
            return alert.group.first?.value == environment
        }
        guard !Self.isMatching(expected, open) else { return nil }
        return RuleTestDifference(subject: "alerts", expected: expected.map(\.words), actual: open.map(\.words))
    }

    /// Whether each expected alert is another one of the open ones, and none is left.
    ///
    /// Of two that are expected the more general one may take the other's; then it looks for another (Kuhn's
    /// algorithm for matchings in bipartite graphs).
    private static func isMatching(_ expected: [RuleTestExpectation.ExpectedAlert], _ open: [Alert]) -> Bool {
        guard expected.count == open.count else { return false }
        var owners = [Int?](repeating: nil, count: open.count)
        return expected.indices.allSatisfy { number in
            var tried: Set<Int> = []
            return place(number, of: expected, among: open, &owners, &tried)
        }
    }

    private static func place(
        _ number: Int,
        of expected: [RuleTestExpectation.ExpectedAlert],
        among open: [Alert],
        _ owners: inout [Int?],
        _ tried: inout Set<Int>
    ) -> Bool {
        for index in open.indices where expected[number].holds(for: open[index]) {
            guard tried.insert(index).inserted else { continue }
            if let owner = owners[index], !place(owner, of: expected, among: open, &owners, &tried) { continue }
            owners[index] = number
            return true
        }
        return false
    }
}

extension RuleTestExpectation.ExpectedAlert {
    fileprivate func holds(for alert: Alert) -> Bool {
        rule == alert.rule && state ?? alert.phase.rawValue == alert.phase.rawValue
            && decision ?? alert.decision.name == alert.decision.name && group.allSatisfy(alert.group.contains)
    }

    fileprivate var words: String {
        RuleTestWords.alert(rule: rule, state: state, group: group, decision: decision)
    }
}

extension Alert {
    fileprivate var words: String {
        RuleTestWords.alert(rule: rule, state: phase.rawValue, group: group, decision: decision.name)
    }
}

extension RuleTestExpectation.Move {
    fileprivate func holds(for transition: SwitchTransition) -> Bool {
        let start = RuleTestRun.start
        return switchKey == transition.key && variant == transition.variant
            && (atMs.map { start.advanced(byMs: $0) == transition.at } ?? true) && by ?? transition.by == transition.by
    }

    fileprivate var words: String {
        RuleTestWords.move(atMs: atMs, key: switchKey, variant: variant, by: by)
    }
}

extension RuleTestExpectation.Notification {
    fileprivate func holds(for change: AlertChange) -> Bool {
        rule == change.alert.rule && what ?? change.input == change.input
            && severity ?? change.alert.severity == change.alert.severity
            && (atMs.map { RuleTestRun.start.advanced(byMs: $0) == change.at } ?? true)
            && (channels.map { Set($0) == Set(change.channels) } ?? true)
    }

    fileprivate var words: String {
        RuleTestWords.notification(atMs: atMs, rule: rule, what: what, severity: severity, channels: channels)
    }
}

extension AlertChange {
    fileprivate var words: String {
        let atMs = at.milliseconds - RuleTestRun.start.milliseconds
        return RuleTestWords.notification(
            atMs: atMs,
            rule: alert.rule,
            what: input,
            severity: alert.severity,
            channels: channels
        )
    }
}

extension SwitchTransition {
    /// The rule that moved it, or that a person did, or that it recovered by itself.
    fileprivate var by: String { reason.kind == "rule" ? reason.rule ?? reason.kind : reason.kind }

    fileprivate var words: String {
        let atMs = at.milliseconds - RuleTestRun.start.milliseconds
        return RuleTestWords.move(atMs: atMs, key: key, variant: variant, by: by)
    }
}

/// One wording for what is expected and for what is, so that they can be compared by eye.
private enum RuleTestWords {
    static func alert(rule: String, state: String?, group: [ScopeAttribute], decision: String?) -> String {
        var text = rule
        if let state { text += " \(state)" }
        if let decision { text += ", decision \(decision)" }
        if !group.isEmpty { text += ", " + group.map { "\($0.name) \($0.value)" }.joined(separator: ", ") }
        return text
    }

    static func move(atMs: Int64?, key: String, variant: String, by: String?) -> String {
        var text = atMs.map { "\(RuleTestTime.text($0)) " } ?? ""
        text += "\(key) to \(variant)"
        if let by { text += " by \(by)" }
        return text
    }

    static func notification(
        atMs: Int64?,
        rule: String,
        what: AlertInput?,
        severity: Severity?,
        channels: [String]?
    ) -> String {
        var text = atMs.map { "\(RuleTestTime.text($0)) " } ?? ""
        text += rule
        if let what { text += " \(what.rawValue)" }
        if let severity { text += ", \(severity.rawValue)" }
        if let channels { text += ", to \(channels.isEmpty ? "all" : channels.sorted().joined(separator: ", "))" }
        return text
    }
}
