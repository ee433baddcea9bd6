internal import ShuntCore
internal import ShuntSchema

/// What people are told about an alert or a switch: a value, and the same one at every try to deliver it.
///
/// What isn't known is nil, and no message mentions it.
struct Notice: Equatable, Sendable {
    /// What happened.
    enum Happening: String, CaseIterable, Sendable {
        /// An alert began.
        case firing
        /// Its condition comes near: an early word, before anything is done.
        case warning
        /// It still fires.
        case reminder
        /// Payers are on the other route now, so the failures stop hurting; they aren't over.
        case mitigated
        /// Nobody answered, so it is told to more people.
        case escalated
        /// Somebody has taken it on.
        case acknowledged
        /// It is over.
        case resolved
        /// A switch moved.
        case switchMoved
    }

    /// The effect's identity, such as `412-0`: the same on every try, so that a receiver can drop what it has.
    var id: String
    /// What happened.
    var happening: Happening
    /// When it happened; durations count up to here.
    var at: Timestamp
    /// Where payers are.
    var environment: String
    /// Whether nothing is wrong and somebody is trying out a channel.
    var isTest = false
    /// The channel that it was meant for and that couldn't take it.
    var insteadOf: String?
    /// The alert, where it is about one.
    var alert: AlertFacts?
    /// How bad it is.
    var failures = FailureFacts()
    /// What the switch did, or didn't.
    var move: MoveFacts?
    /// What it has cost, of an alert that is over.
    var closing: ClosingFacts?
    /// Who acknowledged it.
    var actor: String?
    /// Which payers it hits, in words, e.g. `97 % are app 4.2.0 on iOS 17.4 (normally 11 %)`.
    var location: String?
    /// The likely cause, in words.
    var cause: String?
    /// The one thing to do next, in words.
    var nextStep: String?
    /// Addresses to look at; the alert's own comes first.
    var links: [Link] = []

    /// Which alert.
    struct AlertFacts: Equatable, Sendable {
        var id: String
        var rule: String
        /// The rule's sentence for people.
        var description: String
        var severity: Severity
        /// What tells this alert from the others of its rule; the environment may be among it.
        var group: [ScopeAttribute]
        var startsAt: Timestamp
        var endsAt: Timestamp?
    }

    /// How bad it is, at the time of the notice.
    struct FailureFacts: Equatable, Sendable {
        /// Failing payments within the window; nil for a rule that counts something else.
        var count: Int?
        /// What the count usually is.
        var usual: Int?
        /// The window's length, in milliseconds.
        var windowMs: Int64?
        /// The count at which the rule fires.
        var threshold: Int?
        /// Attempts within the window, failed or not.
        var attempts: Int?
        /// The share of them that failed, in per cent.
        var sharePercent: Int?
        /// Distinct installs among the failures.
        var payers: Int?
        /// What the failed payments were worth, a sum a currency.
        var amounts: [Amount] = []
    }

    /// A sum of money.
    struct Amount: Equatable, Sendable {
        /// In minor units, such as cents.
        var minor: Int128
        /// Its code (ISO 4217).
        var currency: String
    }

    /// What happened to a switch.
    struct MoveFacts: Equatable, Sendable {
        var key: String
        var scope: Scope?
        /// The route that payers get now, or would have got.
        var variant: String?
        /// The version that the move made.
        var version: UInt64?
        /// When it moved.
        var at: Timestamp?
        /// What a rule decided about it; nil where no rule did.
        var decision: TripDecision?
        /// What made it move.
        var cause: SwitchCause?
        /// What an operator gave as the reason.
        var reason: String?
        /// What it does next by itself.
        var nextStep: NextStep?
        /// When it does that.
        var nextStepAt: Timestamp?
    }

    /// What a switch does next by itself.
    enum NextStep: Equatable, Sendable {
        /// So many per cent of the installs try the normal route.
        case probe(percent: Int)
        /// All payers are back on the normal route.
        case restore
        /// A person's override ends.
        case overrideEnds

        /// The step's name in documents.
        var name: String {
            switch self {
            case .probe: "probe"
            case .restore: "restore"
            case .overrideEnds: "overrideEnds"
            }
        }

        /// The share of installs that try the normal route; nil for other steps.
        var percent: Int? { if case .probe(let percent) = self { percent } else { nil } }

        /// A step by its name; nil where there's none of that name, or its share is missing.
        init?(name: String, percent: Int?) {
            switch (name, percent) {
            case ("probe", let percent?): self = .probe(percent: percent)
            case ("restore", _): self = .restore
            case ("overrideEnds", _): self = .overrideEnds
            default: return nil
            }
        }
    }

    /// What an alert that is over has cost.
    struct ClosingFacts: Equatable, Sendable {
        /// All payments that failed.
        var failed: Int?
        /// What they were worth.
        var amounts: [Amount] = []
        /// Payments that the other route saved, about.
        var saved: Int?
        /// How it ended.
        var ending: Ending?
    }

    /// How an alert ended.
    enum Ending: Equatable, Sendable {
        /// Payers who tried the normal route did well.
        case probe
        /// The failures ceased.
        case subsided
        /// A person ended it.
        case person(String)
        /// Its rule is gone, or counts something else.
        case ruleChanged

        /// The ending's name in documents.
        var name: String {
            switch self {
            case .probe: "probe"
            case .subsided: "subsided"
            case .person: "person"
            case .ruleChanged: "ruleChanged"
            }
        }

        /// Who ended it; nil where nobody did.
        var person: String? { if case .person(let name) = self { name } else { nil } }

        /// An ending by its name; nil where there's none of that name, or its person is missing.
        init?(name: String, person: String?) {
            switch (name, person) {
            case ("probe", _): self = .probe
            case ("subsided", _): self = .subsided
            case ("ruleChanged", _): self = .ruleChanged
            case ("person", let person?): self = .person(person)
            default: return nil
            }
        }
    }

    /// A named address.
    struct Link: Equatable, Sendable {
        /// What is there: `alert`, `runbook`, or a word of the configuration.
        var name: String
        /// An absolute http or https URL.
        var url: String
    }
}

extension Notice {
    /// The failing code as support knows it, e.g. `verify/8771`; nil for a rule that doesn't look at one.
    var errorKey: String? {
        guard let code = errorCode else { return nil }
        return attribute("error.domain").map { "\($0)/\(code)" } ?? code
    }

    /// The code alone, which a payer copies and support types in.
    var errorCode: String? { attribute("error.code") }

    /// The address of the alert itself, or else the first one.
    var link: String? { (links.first { $0.name == "alert" } ?? links.first)?.url }

    /// How long it has lasted, in milliseconds.
    var lastedMs: Int64? {
        alert.map { max(0, ($0.endsAt ?? at).milliseconds - $0.startsAt.milliseconds) }
    }

    private func attribute(_ name: String) -> String? {
        alert?.group.first { $0.name == name }?.value
    }

    /// What tells one alert from every other, in the order of the names, the environment among it.
    var identity: [ScopeAttribute] {
        let group = (alert?.group ?? []).filter { $0.name != "environment" }
        return ([ScopeAttribute(name: "environment", value: environment)] + group).sorted { $0.name < $1.name }
    }
}
