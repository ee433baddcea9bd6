public import ShuntSchema

/// A sentence in the languages that people are told things in.
public struct TriageText: Equatable, Sendable {
    /// The English sentence.
    public var english: String
    /// The same in Simplified Chinese.
    public var chinese: String

    /// A sentence in both languages.
    public init(english: String, chinese: String) {
        self.english = english
        self.chinese = chinese
    }
}

/// A known cause of failures: how it shows, how to make sure, and what to do.
///
/// Diagnoses advise and decide nothing, so they are no part of the rule set that the journal keeps.
public struct Diagnosis: Equatable, Sendable {
    /// One thing to look at.
    public struct Check: Equatable, Sendable {
        /// What to look at and what it shows.
        public var text: TriageText
        /// A command to run or a place to look, the same in every language.
        public var command: String?

        /// A check.
        public init(text: TriageText, command: String? = nil) {
            self.text = text
            self.command = command
        }
    }

    /// The diagnosis's name, unique, e.g. `A1`.
    public var id: String
    /// The cause in a few words.
    public var title: TriageText
    /// What is wrong.
    public var cause: TriageText
    /// What to look at, in this order; at least one.
    public var verify: [Check]
    /// The fix, or the next step where there is none.
    public var nextStep: TriageText
    /// Who has to act, e.g. `app` or `backend`.
    public var owner: String
    /// Whose failure it is.
    public var failureClass: FailureClass
    /// Where more is written.
    public var runbook: String?
    /// The signature: none of these may be false; at least one.
    public var required: [DiagnosisFact]
    /// What makes it more likely.
    public var supporting: [DiagnosisFact]

    /// A diagnosis.
    public init(
        id: String,
        title: TriageText,
        cause: TriageText,
        verify: [Check],
        nextStep: TriageText,
        owner: String,
        failureClass: FailureClass,
        runbook: String? = nil,
        required: [DiagnosisFact],
        supporting: [DiagnosisFact] = []
    ) {
        self.id = id
        self.title = title
        self.cause = cause
        self.verify = verify
        self.nextStep = nextStep
        self.owner = owner
        self.failureClass = failureClass
        self.runbook = runbook
        self.required = required
        self.supporting = supporting
    }
}

/// Something that is true of failures, or of the traffic around them.
public enum DiagnosisFact: Equatable, Sendable {
    /// How failures lie in time.
    public enum Pattern: String, CaseIterable, Hashable, Sendable {
        /// Much the same number in each hour.
        case steady
        /// Far more in the last hour than in those before.
        case burst
    }

    // MARK: Of each failure

    /// An attribute's value.
    case condition(Condition)
    /// One of these texts in the message or the code, in any case of letters.
    case text([String])
    /// An error inside the reported one; any code where none is named.
    case underlying(domain: String, codes: [String])
    /// An entry of the event's context, in any case of letters.
    case context(key: String, values: [String])

    // MARK: Of all of them

    /// So many failures at least.
    case failures(Int)
    /// The share of the attempts that failed, in whole per cent.
    case share(NumberRange)
    /// The environment has traffic, and this doesn't fail there.
    case fineIn(String)
    /// Older versions of the app have traffic, and this doesn't fail there.
    case newInVersion
    /// How the failures lie in time.
    case pattern(Pattern)
    /// Merchant identifiers that differ only by case, or by a dot at the end.
    case merchantIdSpelling
}
