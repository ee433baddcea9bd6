/// What a rule that looks at rates sees in one group at one moment.
public struct RateReading: Equatable, Sendable {
    /// The failures, or for `noSuccess` the attempts without success; those within the window, or since a later moment
    /// where there are too many to keep.
    public var count: Int
    /// Of so many attempts; nil where the rule doesn't ask, or where none are reported.
    public var attempts: Int?
    /// So many in the window before; nil where the rule doesn't ask.
    public var before: Int?
    /// Why the condition doesn't hold; nil where it does.
    public var hold: RateHold?
}

/// Why a condition on rates doesn't hold.
public enum RateHold: String, CaseIterable, Hashable, Sendable {
    /// Neither attempts nor successes are reported, so that no share is known.
    case noDenominator
    /// There are too few attempts to judge.
    case tooFewAttempts
    /// There are too few failures to judge.
    case tooFewFailures
    /// The share of failures is below the rule's.
    case shareTooLow
    /// A success was reported.
    case succeeded
    /// Failures haven't increased enough.
    case notIncreased
    /// Failures don't use up what the objective allows fast enough.
    case burnTooSlow
    /// Too little is known of the time before.
    case noBaseline
    /// So many come by chance more often than the rule asks for.
    case notUnusual
    /// Too few attempts have been in doubt for so long.
    case doubtTooYoung
    /// Too little money is in doubt.
    case doubtTooSmall
}

extension RateReading {
    /// One sentence about what holds a rule back.
    func sentence(_ hold: RateHold, for rule: Rule) -> String {
        let window = Rule.durationText(rule.windowMs)
        return switch hold {
        case .noDenominator:
            "neither attempts nor successes were reported in the last 24 h, so no share is known"
        case .tooFewAttempts:
            switch rule.kind {
            case .share(_, let least): "\(attempts ?? 0) of at least \(least) attempts within \(window)"
            case .noSuccess(let least): "\(count) of at least \(least) attempts within \(window)"
            case .burnRate(let burn):
                "fewer than \(burn.attempts) attempts within \(Rule.durationText(burn.longWindowMs))"
            default: "too few attempts within \(window)"
            }
        case .tooFewFailures: "\(count) of at least \(rule.threshold) failures within \(window)"
        case .shareTooLow: "\(count) of \(attempts ?? 0) attempts failed within \(window)\(wanted(by: rule))"
        case .succeeded: "a payment succeeded within \(window)"
        case .notIncreased:
            "\(count) failed within \(window), and \(before ?? 0) in the \(window) before\(wanted(by: rule))"
        case .burnTooSlow: "\(count) of \(attempts ?? 0) attempts failed within \(window)\(wanted(by: rule))"
        case .noBaseline: "too little is known of the time before"
        case .doubtTooYoung: "\(count) of at least \(rule.threshold) attempts have been in doubt for so long"
        case .doubtTooSmall: "less money than that is in doubt"
        case .notUnusual: "\(count) failures within an hour come by chance more often\(wanted(by: rule))"
        }
    }

    private func wanted(by rule: Rule) -> String {
        switch rule.kind {
        case .share(let percent, _): "; \(percent) % would fire it"
        case .change(let percent): "; \(percent) % more would fire it"
        case .burnRate(let burn):
            "; \(Self.decimal(burn.tenths, places: 1)) times what is allowed would fire it"
        case .unusualRate(let oneIn): " than once in \(oneIn)"
        default: ""
        }
    }

    private static func decimal(_ value: Int, places: Int) -> String {
        var text = "\(value)"
        while text.count <= places { text = "0" + text }
        return "\(text.dropLast(places)).\(text.suffix(places))"
    }
}
