public import ShuntSchema

/// What an event means: whose failure, what to do, whether it counts, whether money moved; and why that is so.
///
/// A few bytes without references, so that it can be kept with every event. ``Catalogue/explain(_:of:)`` puts it into words.
public struct Classification: Hashable, Sendable {
    /// Why an event is classified as it is: a closed list, for `explain`, logs and metrics.
    public enum Reason: String, CaseIterable, Hashable, Sendable {
        /// It succeeded, or only began.
        case notAFailure
        /// A shipped row of the catalogue.
        case shippedRow
        /// A row of the merchant's own file.
        case merchantRow
        /// The HTTP status that came along, since no system knows the code.
        case httpStatus
        /// The code names a time-out or lost connection in a domain that isn't known.
        case transportCode
        /// A text in the message.
        case signature
        /// A transport fault or unclear answer after the token was sent.
        case inDoubtByStage
        /// A transport fault where nothing had been sent yet, or nothing could move any more.
        case harmlessByStage
        /// The payer's cancel, before anything was sent.
        case cancelBeforeToken
        /// A cancel while the charge may have been running.
        case cancelAfterToken
        /// A cancel faster than a payer can be: the sheet closed by itself.
        case quickCancel
        /// No system knows the code.
        case unknownCode
        /// No report says so; several together do.
        case finding
        /// No system knows the code, and only the result of the charge was missing.
        case unknownCodeAfterCharge
    }

    /// Which part of the report decided.
    public enum Decider: Hashable, Sendable {
        /// The outermost error.
        case outer
        /// The outermost error's finer code.
        case subcode
        /// The HTTP status that came along.
        case httpStatus
        /// The underlying error at this place; the outermost error is its wrapper.
        case underlying(Int32)
    }

    /// Whose failure it is.
    public var failureClass: FailureClass
    /// What may be done.
    public var retry: RetryAdvice
    /// Whether it counts towards a trip.
    public var switchWeight: SwitchWeight
    /// Whether money has moved; never `stage`.
    public var money: MoneyState
    /// Why.
    public var reason: Reason
    /// Which part of the report decided.
    public internal(set) var decider = Decider.outer
    /// What a text in the message tells about the environment: a simulator's failure is none of production.
    public internal(set) var environmentHint: Signature.EnvironmentHint?
    /// The row's place in the catalogue that classified; nil where no row was found.
    var row: Int32?
    /// The place of the signature that fitted, whether it decided or not.
    var signature: Int32?

    /// A classification without a row.
    public init(
        failureClass: FailureClass,
        retry: RetryAdvice,
        switchWeight: SwitchWeight,
        money: MoneyState,
        reason: Reason
    ) {
        self.failureClass = failureClass
        self.retry = retry
        self.switchWeight = switchWeight
        self.money = money
        self.reason = reason
    }

    /// Whether some row, status or text knew the error. If not, it is counted apart and raises "new code".
    public var isKnown: Bool { reason != .unknownCode && reason != .unknownCodeAfterCharge }

    /// Whether the same order may be sent to the web route: not when money moved or may have, and never past a risk refusal.
    public var allowsWebRoute: Bool {
        money == .notMoved && failureClass != .inDoubt && failureClass != .risk && failureClass != .notFailure
    }

    /// What a later event of the same attempt leaves standing.
    ///
    /// Success settles everything. In doubt isn't lifted by a later refusal (a repeat may be refused because the first
    /// went through); only a query's answer or a person lifts it, and neither is a failure event. A late failure after a
    /// success changes nothing.
    public func followed(by later: Classification) -> Classification {
        if isSettled { return self }
        if later.isSettled { return later }
        if failureClass == .inDoubt || money != .notMoved && later.money == .notMoved { return self }
        return later
    }

    private var isSettled: Bool { failureClass == .notFailure && money == .moved }
}

/// A row that was found.
public struct CatalogueMatch: Hashable, Sendable {
    /// The system that knows the code.
    public var system: String
    /// The row's own name: the system's first domain and the row's code.
    public var key: ErrorKey
    /// The row.
    public var entry: CatalogueEntry
    /// Whose row it is.
    public var owner: CatalogueSystem.Owner
    /// The shipped row that a merchant's row overrides.
    public var overrides: CatalogueEntry?
}
