internal import ShuntCore
internal import ShuntSchema

/// Which failures an alert is about.
struct AlertQuestion: Sendable {
    var rule: String
    var group: [ScopeAttribute]
    var startsAt: Timestamp
    /// When it was over; nil while it isn't.
    var endsAt: Timestamp?
    /// The moment that is asked about.
    var at: Timestamp
    /// The last entry that is known at that moment.
    var seq: UInt64
    /// Whether payers were moved because of it.
    var hasTripped: Bool
}

extension AlertQuestion {
    /// About an alert as it is.
    init(_ alert: Alert, at: Timestamp, seq: UInt64) {
        let hasTripped =
            switch alert.decision {
            case .tripped, .held(.alreadyDegraded): true
            default: false
            }
        self.init(
            rule: alert.rule,
            group: alert.group,
            startsAt: alert.startsAt,
            endsAt: alert.endsAt,
            at: at,
            seq: seq,
            hasTripped: hasTripped
        )
    }
}

/// What an alert's failures amount to, and what tells them from others.
struct AlertTriage: Sendable {
    /// The failures within the rule's window; of an alert that is over, all there were.
    var summary: FailureSummary
    /// All failures from the first that led to the alert on; nil where the book doesn't reach back to it.
    var whole: FailureSummary?
    /// Payments that the other route saved, about; nil where none was moved, or nobody reports successes there.
    var saved: Int?
    /// Where it happens and what it is likely to come from.
    var conclusions: Conclusions?
}

extension TriageDesk {
    /// What is known of an alert's failures; nil for a rule that counts none.
    func triage(_ question: AlertQuestion) -> AlertTriage? {
        guard let (known, findings) = gather(question) else { return nil }
        var triage = known
        triage.conclusions = conclude(findings)
        return triage
    }

    private func gather(_ question: AlertQuestion) -> (AlertTriage, Findings)? {
        history.read { book in
            guard let rule = book.ruleSet.rules.first(where: { $0.id == question.rule }), rule.windowMs > 0 else {
                return nil
            }
            let first = question.startsAt.advanced(byMs: -rule.windowMs)
            let end = question.endsAt ?? question.at
            let since = question.endsAt == nil ? end.advanced(byMs: -rule.windowMs) : first
            let otherRoute = book.ruleSet.otherRoute(of: rule)
            func failures(after since: Timestamp, until end: Timestamp) -> FailureSelection {
                book.failures.select(after: since, until: end, through: question.seq) { row in
                    guard !row.isLate, question.group.allSatisfy({ row.has($0) }) else { return false }
                    let (event, meaning) = row.failure
                    return rule.verdict(on: event, meaning: meaning, at: row.at, otherRoute: otherRoute) == .counted
                }
            }
            let now = failures(after: since, until: end)
            guard now.count > 0 else { return nil }
            var triage = AlertTriage(summary: now.summary)
            if book.failures.completeSince <= first { triage.whole = failures(after: first, until: end).summary }
            let environment = question.group.first?.value ?? PaymentEvent.defaultEnvironment
            if question.hasTripped, let otherRoute {
                triage.saved = book.routes.saved(
                    environment: environment,
                    route: otherRoute,
                    from: question.startsAt,
                    until: end
                )
            }
            let findings = Findings(
                now,
                before: failures(after: first.advanced(byMs: -Self.baselineMs), until: first),
                known: question.group.compactMap { Dimension(rawValue: $0.name) },
                environment: environment,
                key: ErrorHistory.Key(environment: environment, of: question.group),
                since: since,
                in: book,
                at: end
            )
            return (triage, findings)
        }
    }
}

extension ErrorHistory.Key {
    /// The error that a group is of; nil for one of many errors.
    fileprivate init?(environment: String, of group: [ScopeAttribute]) {
        func value(_ dimension: Dimension) -> String? { group.first { $0.name == dimension.rawValue }?.value }
        guard let domain = value(.errorDomain), let code = value(.errorCode) else { return nil }
        self.init(environment: environment, domain: domain, code: code)
    }
}

extension FailureRow {
    /// Whether it belongs to a group with this attribute. What had no room for a group of its own is counted with
    /// others, whose values aren't known any more.
    fileprivate func has(_ attribute: ScopeAttribute) -> Bool {
        guard attribute.value != Rule.overflowValue, let dimension = Dimension(rawValue: attribute.name) else {
            return true
        }
        return value(dimension) ?? "" == attribute.value
    }
}
