internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// A story about payments and what the rules must have done by certain times, as `tests/*.yaml` tells it.
public struct RuleTest: Sendable {
    /// What it is called: a sentence, unique within the folder.
    public let name: String
    /// The file, by the path of the rules folder as it was given.
    public let file: String
    /// The line that it starts at, from 1.
    public let line: Int
    /// The rules whose alerts are looked at; all rules are in force.
    let subjects: Set<String>
    /// What happens, in the order of the file.
    let steps: [RuleTestStep]
    /// What must be so, by time; at the same time in the order of the file.
    let expectations: [RuleTestExpectation]

    init(
        name: String,
        file: String,
        line: Int,
        subjects: Set<String>,
        steps: [RuleTestStep],
        expectations: [RuleTestExpectation]
    ) {
        self.name = name
        self.file = file
        self.line = line
        self.subjects = subjects
        self.steps = steps
        self.expectations = expectations
    }
}

/// One entry of `events` or `actions`.
struct RuleTestStep: Sendable {
    /// What a step does.
    enum Kind: Sendable {
        /// So many events, one after the other.
        case events(RuleTestEvents)
        /// A person moves a switch.
        case command(SwitchCommand)
    }

    let position: YAMLPosition
    /// The time of the first, in milliseconds from the test's start.
    let atMs: Int64
    /// From one event to the next, in milliseconds.
    var everyMs: Int64 = 0
    var times = 1
    let kind: Kind
}

/// Events that are alike but for their attempts, installs and times.
struct RuleTestEvents: Sendable {
    let event: PaymentEvent
    /// How many install names take turns; nil for the event's own, or none.
    let installs: Int?
    /// The switch whose probe or ramp these installs are of: those names are left out that it doesn't let try the normal
    /// way.
    let tries: String?
    /// How many attempt names take turns; nil for one of its own for each event.
    let attempts: Int?
    /// How long before its receipt each one happened, in milliseconds; nil for one that doesn't say.
    let occurredAgoMs: Int64?

    /// One of the events, received at the given time.
    ///
    /// - Parameters:
    ///   - number: its number within the step, from 0.
    ///   - step: the step's number within the test.
    ///   - install: the name of the install with that number.
    func event(_ number: Int, ofStep step: Int, at: Timestamp, install: (Int) -> String) -> PaymentEvent {
        var event = event
        if let installs { event.installId = install(number % installs) }
        event.attemptId = attempts.map { "attempt-\(number % $0 + 1)" } ?? "attempt-of-\(step)-\(number)"
        event.occurredAt = occurredAgoMs.map { at.advanced(byMs: -$0) }
        return event
    }
}

/// One entry of `expect`: nil means that nothing is said about it.
struct RuleTestExpectation: Sendable {
    /// An alert that must be open.
    struct ExpectedAlert: Sendable {
        let rule: String
        let state: String?
        let group: [ScopeAttribute]
        let decision: String?
    }

    /// A move that a switch must have made.
    struct Move: Sendable {
        let atMs: Int64?
        let switchKey: String
        let variant: String
        /// A rule, `operator` or `recovery`.
        let by: String?
    }

    /// Something that people must have been told.
    struct Notification: Sendable {
        let atMs: Int64?
        let rule: String
        let what: AlertInput?
        let severity: Severity?
        /// In any order; empty for all that are configured.
        let channels: [String]?
    }

    let position: YAMLPosition
    /// In milliseconds from the test's start.
    let atMs: Int64
    /// Whose switches and moves; with nil the default environment's, and the alerts of all.
    let environment: String?
    /// Whose route is asked for; without attributes that of the environment as a whole.
    let payer: [String: String]
    /// All alerts of the test's rules that haven't ended.
    let alerts: [ExpectedAlert]?
    /// The variants of these switches.
    let switches: [(key: String, variant: String)]?
    /// The states of these switches, in the slice that decides for the payer.
    let states: [(key: String, state: SwitchPhase)]?
    /// The version of the environment's switch document.
    let version: Int64?
    /// All moves of the environment's switches since the start.
    let transitions: [Move]?
    /// All that people were told since the start.
    let notifications: [Notification]?
}
