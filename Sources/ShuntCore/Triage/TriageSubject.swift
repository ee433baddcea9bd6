public import ShuntSchema

/// What is known of failures that want a diagnosis.
public struct TriageSubject: Sendable {
    /// One failure.
    public struct Failure: Sendable {
        /// The report.
        public var event: PaymentEvent
        /// What it means.
        public var classification: Classification

        /// A failure.
        public init(event: PaymentEvent, classification: Classification) {
            self.event = event
            self.classification = classification
        }
    }

    /// The traffic of one environment or one version of the app.
    public struct Traffic: Equatable, Sendable {
        /// The environment or version.
        public var name: String
        /// How many attempts there were, failed ones included.
        public var attempts: Int
        /// How many of them failed in the way that is looked at.
        public var failures: Int

        /// Traffic by its name.
        public init(_ name: String, attempts: Int, failures: Int) {
            self.name = name
            self.attempts = attempts
            self.failures = failures
        }
    }

    /// A sample of the failures, up to a few hundred.
    public var failures: [Failure]
    /// How many failures there are in all.
    public var failureCount: Int
    /// How many attempts there were where they happened; nil if unknown.
    public var attempts: Int?
    /// The environments; nil if unknown.
    public var environments: [Traffic]?
    /// The versions of the app; nil if unknown.
    public var appVersions: [Traffic]?
    /// How many failures each hour had, the oldest first, the present hour last; nil if unknown.
    public var hourlyFailures: [Int]?
    /// The merchant identifiers of all attempts, successful ones included; those of the failures if nil.
    public var merchantIds: [String]?

    /// A subject; what isn't named isn't known.
    ///
    /// - Parameter failureCount: as many as the sample has if nil.
    public init(
        failures: [Failure],
        failureCount: Int? = nil,
        attempts: Int? = nil,
        environments: [Traffic]? = nil,
        appVersions: [Traffic]? = nil,
        hourlyFailures: [Int]? = nil,
        merchantIds: [String]? = nil
    ) {
        self.failures = failures
        self.failureCount = failureCount ?? failures.count
        self.attempts = attempts
        self.environments = environments
        self.appVersions = appVersions
        self.hourlyFailures = hourlyFailures
        self.merchantIds = merchantIds
    }
}
