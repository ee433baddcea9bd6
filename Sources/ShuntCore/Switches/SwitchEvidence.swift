public import ShuntSchema

/// What a transition was decided by. The fold says it at that moment, so a replay says it again.
public struct SwitchEvidence: Equatable, Sendable {
    /// Who or what decided.
    public enum Ground: Equatable, Sendable {
        /// A rule, about one of its groups.
        case rule(RuleGround)
        /// What those who tried the normal way have shown.
        case probe(ProbeGround)
        /// A time that the switch waited for.
        case timer(SwitchTimer)
        /// A person.
        case command(SwitchCommand)
        /// The rule files disarm it.
        case ruleFiles

        /// Its name, for documents.
        public var name: String {
            switch self {
            case .rule: "rule"
            case .probe: "probe"
            case .timer: "timer"
            case .command: "command"
            case .ruleFiles: "ruleFiles"
            }
        }
    }

    /// Who or what decided.
    public var ground: Ground
    /// The last entry of the journal that was counted by then.
    public var lastSeq: UInt64
    /// How many times in a row the switch is degraded now; nil where it is normal.
    public var level: Int?
    /// All that had to hold, or would have, with its numbers; empty where nothing but the ground decided.
    public var conditions: [EvidenceCondition] = []

    init(_ ground: Ground, lastSeq: UInt64, level: Int?, conditions: [EvidenceCondition] = []) {
        self.ground = ground
        self.lastSeq = lastSeq
        self.level = level
        self.conditions = conditions
    }
}

/// A rule's group that tripped a switch.
public struct RuleGround: Equatable, Sendable {
    /// The rule as it was in force.
    public var rule: Rule
    /// The route that it moves payers to.
    public var otherRoute: String?
    /// The values that define the group.
    public var group: [ScopeAttribute]
    /// When the oldest of what was counted was seen last; nil where nothing was.
    public var since: Timestamp?
    /// How many were counted, at most.
    public var count: Int
    /// What became of the decision: the names of `TripDecision`.
    public var decision: TripDecision
}

/// A switch that was tried, as it was before it moved on.
public struct ProbeGround: Equatable, Sendable {
    /// The switch in its slice.
    public var machine: SwitchMachine
    /// Its settings.
    public var definition: SwitchDefinition
    /// The version of the switches then.
    public var version: UInt64
}

/// One thing that had to hold, with the number that was found and its limit.
public struct EvidenceCondition: Equatable, Sendable {
    /// What it is about, and in which unit.
    public enum Name: String, CaseIterable, Hashable, Sendable {
        /// What the rule counts, and its threshold.
        case count
        /// The attempts that must be known, and how many there must be.
        case attempts
        /// The attempts without a success, and how many there must be.
        case attemptsWithoutSuccess
        /// Failures among a total of attempts, and the share in per cent that they must have.
        case share
        /// Failures, those of the window before as the total, and by how many per cent they must exceed them.
        case increase
        /// Failures among a total of attempts, and how many tenths of what the objective allows they must use up.
        case burnRate
        /// Failures, and once in how many windows so many may come by chance.
        case unusualRate
        /// Distinct installs.
        case installs
        /// Those that trusted reporters told of, and how many these must be.
        case trusted
        /// Distinct installs, where too few of the reports are trusted.
        case publicInstalls
        /// Failures among a total of attempts on the other route, and the share in per cent that they may have.
        case otherRoute
        /// The share of payers that is moved then, in per cent, and how many may be.
        case blastRadius
        /// For how many milliseconds it had been normal, and for how many it must be.
        case normalMs
        /// Trips within the flap lock's time, this one among them, and how many of them lock it.
        case trips
        /// Attempts that failed while it was tried, and how many are bad.
        case failures
        /// Distinct installs that these came from.
        case failedInstalls
        /// The most that the share of failures may be by chance, in hundredths of a per cent, and what it must be below.
        case failureShareAtMost
        /// Tries in a row that nobody could judge, and after how many a person is asked.
        case unknowns
    }

    /// How it stood.
    public enum Standing: String, CaseIterable, Hashable, Sendable {
        /// It was judged, and holds.
        case holds
        /// It was judged, and doesn't.
        case fails
        /// Nobody asks for it.
        case notRequired
        /// It wasn't judged, because neither attempts nor successes are reported.
        case noDenominator
        /// It wasn't judged, because too few attempts are known.
        case tooFewAttempts
    }

    /// What it is about.
    public var name: Name
    /// How it stood.
    public var standing: Standing
    /// What was found.
    public var value: Int?
    /// Of so many; nil where it isn't a part of anything.
    public var total: Int?
    /// What it is held against.
    public var limit: Int?

    init(_ name: Name, _ standing: Standing, value: Int? = nil, of total: Int? = nil, limit: Int? = nil) {
        self.name = name
        self.standing = standing
        self.value = value
        self.total = total
        self.limit = limit
    }

    /// One that is judged by whether a number reaches its limit.
    init(_ name: Name, _ value: Int, reaches limit: Int) {
        self.init(name, value >= limit ? .holds : .fails, value: value, limit: limit)
    }
}
