internal import ShuntSchema

/// What makes a rule fire, with the figures that only such a rule has.
public enum RuleKind: Hashable, Sendable {
    /// The count within the window reaches the threshold.
    case count
    /// It does, and no payment of the group succeeded in between: each success starts the count anew. For low traffic,
    /// where a count never gets high. Groups by nothing that only failures have, and is judged only where attempts or
    /// successes are reported at all.
    case consecutive
    /// It does, for the first time ever in this group; afterwards the group is known and never fires again.
    case newCode
    /// Of the attempts within the window so many per cent failed, and there were `attempts` at least.
    case share(percent: Int, attempts: Int)
    /// There were `attempts` at least within the window and none succeeded, though successes are reported.
    case noSuccess(attempts: Int)
    /// The failures within the window are so many per cent more than those within the same window before it, and reach
    /// the threshold. None before is exceeded by any.
    case change(percent: Int)
    /// Failures use up what an objective allows so many times too fast, over the window and over a longer one.
    case burnRate(BurnRate)
    /// So many failures within the last 5, 15 or 60 minutes come by chance only once in `oneIn`, going by the same
    /// hour on former days.
    case unusualRate(oneIn: Int)
    /// So many attempts of an environment, the threshold, have been in doubt for at least so many milliseconds.
    case inDoubtAge(ms: Int64)
    /// The money in doubt in one currency has come to so many minor units.
    case inDoubtTotal(minor: Int64, currency: String)
    /// So many failures within the window found a rule's groups full and were counted together with others.
    case keyLimit
    /// Always: its alert shows that alerts work.
    case watchdog

    /// What rule files call a kind.
    public enum Name: String, CaseIterable, Hashable, Sendable {
        /// `RuleKind.count`.
        case count
        /// `RuleKind.consecutive`.
        case consecutive
        /// `RuleKind.newCode`.
        case newCode
        /// `RuleKind.share`.
        case share
        /// `RuleKind.noSuccess`.
        case noSuccess
        /// `RuleKind.change`.
        case change
        /// `RuleKind.burnRate`.
        case burnRate
        /// `RuleKind.unusualRate`.
        case unusualRate
        /// `RuleKind.inDoubtAge`.
        case inDoubtAge
        /// `RuleKind.inDoubtTotal`.
        case inDoubtTotal
        /// `RuleKind.keyLimit`.
        case keyLimit
        /// `RuleKind.watchdog`.
        case watchdog

        /// Whether such a rule may trip a switch. The others say that something is odd, not that a route is broken.
        public var canTrip: Bool {
            switch self {
            case .count, .consecutive, .share, .change, .burnRate: true
            case .newCode, .noSuccess, .unusualRate, .inDoubtAge, .inDoubtTotal, .keyLimit, .watchdog: false
            }
        }

        /// Whether it compares failures with attempts, which no attribute of failures can tell apart.
        public var needsAttempts: Bool {
            switch self {
            case .consecutive, .share, .noSuccess, .burnRate: true
            case .count, .newCode, .change, .unusualRate, .inDoubtAge, .inDoubtTotal, .keyLimit, .watchdog: false
            }
        }
    }

    /// Its name in rule files.
    public var name: Name {
        switch self {
        case .count: .count
        case .consecutive: .consecutive
        case .newCode: .newCode
        case .share: .share
        case .noSuccess: .noSuccess
        case .change: .change
        case .burnRate: .burnRate
        case .unusualRate: .unusualRate
        case .inDoubtAge: .inDoubtAge
        case .inDoubtTotal: .inDoubtTotal
        case .keyLimit: .keyLimit
        case .watchdog: .watchdog
        }
    }

    /// Whether its figures are such as rules may have.
    var isWithinBounds: Bool {
        let counts = 1..<1_000_000
        return switch self {
        case .count, .consecutive, .newCode, .keyLimit, .watchdog: true
        case .share(let percent, let attempts): (1...100).contains(percent) && counts.contains(attempts)
        case .noSuccess(let attempts): counts.contains(attempts)
        case .change(let percent): (1...100_000).contains(percent)
        case .burnRate(let burn):
            (1..<1_000_000).contains(burn.allowedPpm) && (1...10_000).contains(burn.tenths)
                && counts.contains(burn.attempts) && burn.longWindowMs >= 60_000
                && burn.longWindowMs <= Rule.longestWindowMs
        case .unusualRate(let oneIn): (10...1_000_000_000_000).contains(oneIn)
        case .inDoubtAge(let ageMs): (0...Rule.longestWindowMs).contains(ageMs)
        case .inDoubtTotal(let minor, let currency):
            minor >= 1 && SmallAmount(Amount(minor: minor, currency: currency)) != nil
        }
    }

    /// Whether it compares rates, which time alone can change; the others fire on an event or never.
    var isOfRates: Bool {
        switch self {
        case .share, .noSuccess, .change, .burnRate, .unusualRate, .inDoubtAge, .inDoubtTotal: true
        case .count, .consecutive, .newCode, .keyLimit, .watchdog: false
        }
    }

    /// Whether it looks at what is in doubt, not at events.
    public var isOfDoubts: Bool {
        switch self {
        case .inDoubtAge, .inDoubtTotal: true
        default: false
        }
    }
}

/// How fast failures may use up what an objective allows.
///
/// Source: the Site Reliability Workbook, chapter 5, "multiwindow, multi-burn-rate alerts".
public struct BurnRate: Hashable, Sendable {
    /// The share of attempts that may fail, in millionths: an objective of 99.5 % allows 5,000.
    public var allowedPpm: Int
    /// How many times faster than allowed, in tenths: 144 is 14.4 times.
    public var tenths: Int
    /// The longer window, in milliseconds; more than the rule's window.
    public var longWindowMs: Int64
    /// How many attempts there must be within the longer window.
    public var attempts: Int

    /// A burn rate.
    public init(allowedPpm: Int, tenths: Int, longWindowMs: Int64, attempts: Int) {
        self.allowedPpm = allowedPpm
        self.tenths = tenths
        self.longWindowMs = longWindowMs
        self.attempts = attempts
    }

    /// Whether so many failures of so many attempts are at least as fast.
    func isReached(by failures: Int, of attempts: Int) -> Bool {
        let (left, isBig) = failures.multipliedReportingOverflow(by: 10_000_000)
        let (right, isBigger) = attempts.multipliedReportingOverflow(by: allowedPpm * tenths)
        return !isBigger && (isBig || left >= right) && failures > 0
    }
}
