internal import ShuntSchema

/// A text that says what a code can't: one entry of `rules/catalogue/signatures.yaml`.
public struct Signature: Hashable, Sendable {
    /// What a text that fits means.
    public enum Verdict: Hashable, Sendable {
        /// This, whatever the code.
        case entry(CatalogueEntry)
        /// A cancel: the stage decides.
        case cancel
        /// Nothing: the code decides. Listed so that nobody adds the text.
        case code
    }

    /// What a text tells about the environment that it came from.
    public enum EnvironmentHint: String, CaseIterable, Hashable, Sendable {
        /// A simulator or sandbox: no production failure.
        case test
        /// An account of the other side, on a production build or the reverse.
        case mix
    }

    /// The signature's name, unique.
    public var id: String
    /// Texts that must all occur in the message, in any case of ASCII letters. A single one may also be the code itself.
    public var all: [String]
    /// The domains where it applies; everywhere if empty.
    public var domains: [String]
    /// What it means.
    public var verdict: Verdict
    /// What it tells about the environment.
    public var environment: EnvironmentHint?
    /// The next step, for a person.
    public var say: String

    /// A signature.
    public init(
        id: String,
        all: [String],
        domains: [String] = [],
        verdict: Verdict,
        environment: EnvironmentHint? = nil,
        say: String
    ) {
        self.id = id
        self.all = all
        self.domains = domains
        self.verdict = verdict
        self.environment = environment
        self.say = say
    }
}
