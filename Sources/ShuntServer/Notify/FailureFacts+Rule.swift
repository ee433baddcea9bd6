internal import ShuntCore

extension Notice.FailureFacts {
    /// What a rule saw, in the terms of messages: what it counts is payments for some rules, payers for others, and for
    /// those that don't count failures nothing, so that the message tells the rule's own sentence.
    init(of alert: Alert, rule: Rule) {
        self.init()
        switch rule.kind {
        case .noSuccess, .inDoubtAge, .inDoubtTotal, .keyLimit, .watchdog: return
        case .count, .consecutive, .newCode, .share, .change, .burnRate: windowMs = rule.windowMs
        // It looks at windows of its own.
        case .unusualRate: break
        }
        switch rule.count {
        case .events, .attempts:
            count = alert.count
            threshold = rule.threshold
        case .installs: payers = alert.count
        }
        usual = alert.before
        guard let attempts = alert.attempts, attempts > 0 else { return }
        self.attempts = attempts
        sharePercent = min(100, alert.count * 100 / attempts)
    }
}
