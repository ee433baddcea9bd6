/// Where failures come from, as far as their attributes tell.
public struct Localisation: Equatable, Sendable {
    /// What the causes are measured against.
    public enum Baseline: String, Sendable {
        /// Failures of the window before.
        case failures
        /// Attempts, each as likely to fail as any other.
        case attempts
        /// Nothing: these failures are new. Causes are ranked by their share alone.
        case none
    }

    /// Why there are causes, or none.
    public enum Verdict: String, Sendable {
        /// There is at least one cause.
        case found
        /// No value is commoner among the failures than it normally is.
        case nothingStandsOut
        /// There are fewer than `Localiser.fewestFailures` failures: whatever they share can be chance.
        case tooFew
    }

    /// At most three, the likeliest first. The second is of what the first leaves, and so on.
    public var causes: [Cause]
    /// The failures looked at.
    public var count: Int64
    /// The failures at baseline, or what the attempts would have had; nil where there is nothing to compare with.
    public var baselineCount: Int64?
    /// What the causes are measured against.
    public var baseline: Baseline
    /// Why there are causes, or none.
    public var verdict: Verdict
}

/// What a part of the failures has in common, and normally hasn't to that degree.
public struct Cause: Equatable, Sendable {
    /// A name and its value.
    public struct Attribute: Equatable, Sendable {
        /// E.g. `app.version`.
        public var name: String
        /// E.g. `4.2.0`.
        public var value: String

        /// An attribute with its value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// One to three, in the order of the schema.
    public var attributes: [Attribute]
    /// How many of the failures have all these attributes.
    public var count: Int64
    /// How many failures there are, without those of the causes ranked before.
    public var total: Int64
    /// How many had these attributes at baseline; nil where there is nothing to compare with.
    public var baselineCount: Int64?
    /// `count` of `total`, from 0 to 1.
    public var share: Double
    /// The share at baseline, from 0 to 1; nil where there is nothing to compare with.
    public var baselineShare: Double?
    /// `share` over `baselineShare`; nil where that is nought or unknown.
    public var lift: Double?
    /// What it was ranked by, see docs/decisions/0025: the excess times the logarithm of the risk ratio.
    public var score: Double
    /// Whether more attributes than three may be needed to name the cause.
    public var isAtLeast: Bool
    /// The attribute that would narrow a cause of three attributes most, if one does.
    public var refinement: Attribute?
}
