public import ShuntSchema

/// A question about failures: their code, and what else is known of them.
public struct FailureQuestion: Hashable, Sendable {
    /// The error's code.
    public var code: String
    /// Its namespace; nil for every one under which the code is counted or known.
    public var domain: String?
    /// Where they happen; nil for everywhere.
    public var environment: String?
    /// How far the attempts had come; nil for any stage.
    public var stage: Stage?

    /// A question.
    public init(code: String, domain: String? = nil, environment: String? = nil, stage: Stage? = nil) {
        self.code = code
        self.domain = domain
        self.environment = environment
        self.stage = stage
    }
}

/// What failures with a code mean, and where each rule stands with them.
public struct CodeExplanation: Equatable, Sendable {
    /// What was asked.
    public var question: FailureQuestion
    /// The time at which windows were judged.
    public var at: Timestamp
    /// One for each namespace, in their order.
    public var domains: [DomainExplanation]
    /// How many further namespaces there are.
    public var omittedDomains: Int
}

/// What failures with a code of one namespace mean, and where each rule stands with them.
public struct DomainExplanation: Equatable, Sendable {
    /// The namespace.
    public var domain: String
    /// Whether a rule holds a group of this very code.
    public var isCounted: Bool
    /// What such a failure means at the stage asked for, or at none.
    public var meaning: Classification
    /// The same in words.
    public var explanation: Explanation
    /// The stages at which it means something else; empty when a stage was asked for.
    public var otherStages: [StageMeaning]
    /// Every rule, in the order in which they judge an event.
    public var rules: [RuleExplanation]
}

/// What a failure means at one stage.
public struct StageMeaning: Equatable, Sendable {
    /// The stage.
    public var stage: Stage
    /// The meaning.
    public var meaning: Classification
}

/// Where one rule stands with such failures.
public struct RuleExplanation: Equatable, Sendable {
    /// Whether a rule looks at a failure.
    public enum Match: String, CaseIterable, Hashable, Sendable {
        /// It does.
        case yes
        /// It does if what wasn't asked for is as `depends` says.
        case depends
        /// It doesn't: `holds` says why.
        case no
    }

    /// The rule.
    public var rule: Rule
    /// Whether it looks at them.
    public var match: Match
    /// What holds it back, whatever the group.
    public var holds: [RuleHold]
    /// The conditions on what the question leaves open, as rule files write them.
    public var depends: [String]
    /// The groups that they may be counted in, the highest counts first.
    public var groups: [GroupExplanation]
    /// How many further groups there are.
    public var omittedGroups: Int
}

/// Where one group of a rule stands.
public struct GroupExplanation: Equatable, Sendable {
    /// The values that define it, the environment first.
    public var group: [ScopeAttribute]
    /// How many are within the window; counts above the threshold aren't told apart.
    public var count: Int
    /// How many more reach the threshold; 0 when it is reached.
    public var missing: Int
    /// How many distinct installs are within the window, up to what the rule requires; nil where it requires none.
    public var installs: Int?
    /// Whether other errors than this one are counted in it too.
    public var isShared: Bool
    /// The alert that hasn't ended.
    public var alert: Alert?
    /// What holds the rule back.
    public var holds: [RuleHold]
}

/// What holds a rule back; always a named reason, the same that decides on an event.
public enum RuleHold: Equatable, Sendable {
    /// A condition doesn't hold, because the failures have this value.
    case unmatched(Condition, found: String?)
    /// The rule trips a switch, and such failures never count towards a trip.
    case weightless(FailureClass)
    /// The count is below the threshold.
    case belowThreshold(count: Int)
    /// The rule's condition on rates doesn't hold.
    case rate(RateHold, RateReading)
    /// The rule fires once for each group, and has.
    case knownCode
    /// The failures come from fewer distinct installs than the rule requires.
    case tooFewInstalls(installs: Int)
    /// The switch would stay as it is.
    case switchStays(SwitchHold)

    /// The reason's name, for documents.
    public var name: String {
        switch self {
        case .unmatched: CountVerdict.unmatched.rawValue
        case .weightless: CountVerdict.weightless.rawValue
        case .belowThreshold: "belowThreshold"
        case .rate(let hold, _): hold.rawValue
        case .knownCode: "knownCode"
        case .tooFewInstalls: SwitchHold.tooFewInstalls.rawValue
        case .switchStays(let hold): hold.rawValue
        }
    }

    /// One sentence about this reason of a rule.
    public func sentence(for rule: Rule) -> String {
        let key = rule.trip?.switchKey ?? ""
        return switch self {
        case .unmatched(let condition, let found):
            "the rule wants \(condition.text); found \(found.map { "\"\($0)\"" } ?? "nothing")"
        case .weightless(let failureClass):
            "a failure of class \(failureClass.rawValue) with this code never counts towards a trip"
        case .belowThreshold(let count):
            "\(count) of \(rule.threshold) \(rule.count.rawValue) within \(Rule.durationText(rule.windowMs)); "
                + "\(rule.threshold - count) more would fire it"
                + (rule.maximumPerInstall.map { " (at most \($0) of one install count)" } ?? "")
        case .rate(let hold, let reading): reading.sentence(hold, for: rule)
        case .knownCode: "it fires once for each group, and has fired for this one"
        case .tooFewInstalls(let installs):
            "\(installs) of \(rule.require.installs ?? 0) distinct installs"
        case .switchStays(.untrusted):
            "more than half of them came through tokens that are inside apps, from fewer than "
                + "\((rule.require.installs ?? 0) * 2) installs"
        case .switchStays(.shareTooLow): "fewer than \(rule.require.share ?? 0) % of the attempts failed"
        case .switchStays(.bothRoutesBad):
            "more than \(rule.require.webShare) % of the attempts on the other route fail as well"
        case .switchStays(let hold): hold.sentence(switch: key)
        }
    }
}
