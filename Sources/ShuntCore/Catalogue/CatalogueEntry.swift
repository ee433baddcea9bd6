public import ShuntSchema

/// An error's name: the code within its namespace. The code is always a string: `05` and `5` differ.
public struct ErrorKey: Hashable, Sendable {
    /// The namespace, e.g. `NSURLErrorDomain`.
    public var domain: String
    /// The code, e.g. `-1001`.
    public var code: String

    /// Names an error.
    public init(domain: String, code: String) {
        self.domain = domain
        self.code = code
    }
}

/// What may be done with the payment after an error. Every retry of a charge carries the same idempotency key.
public enum RetryAdvice: String, CaseIterable, Hashable, Sendable {
    /// Not at all.
    case never
    /// When the fault has been mended.
    case afterFix
    /// Later, with growing pauses.
    case later
    /// Once, at once.
    case immediateOnce
    /// With another card or method.
    case newMethod
    /// Only when the status has been asked for: money may have moved.
    case queryFirst
    /// There is nothing to retry.
    case notApplicable = "n/a"
}

/// Whether a failure counts towards the trip of a switch; apart from its class.
public enum SwitchWeight: String, CaseIterable, Hashable, Sendable {
    /// It doesn't: the payer's, the issuer's, a risk refusal, a cancel, no failure at all.
    case none
    /// It does.
    case count
    /// It does, and near every attempt fails in the same way, so that a lower threshold will do.
    case countFast
}

/// Whether the payer's money has moved.
public enum MoneyState: String, CaseIterable, Hashable, Sendable {
    /// It hasn't.
    case notMoved
    /// Nobody knows; the order must be held.
    case mayHaveMoved
    /// It has.
    case moved
    /// The stage decides. Stands in rows only, never in a ``Classification``.
    case stage
}

/// One row of the catalogue: what a code means.
public struct CatalogueEntry: Hashable, Sendable {
    /// A few words for a person.
    public var name: String
    /// Whose failure it is.
    public var failureClass: FailureClass
    /// What may be done.
    public var retry: RetryAdvice
    /// Whether it counts towards a trip.
    public var switchWeight: SwitchWeight
    /// Whether money has moved.
    public var money: MoneyState
    /// What else a person should know; empty where there is nothing.
    public var note: String

    /// A row.
    public init(
        name: String,
        failureClass: FailureClass,
        retry: RetryAdvice,
        switchWeight: SwitchWeight,
        money: MoneyState,
        note: String = ""
    ) {
        self.name = name
        self.failureClass = failureClass
        self.retry = retry
        self.switchWeight = switchWeight
        self.money = money
        self.note = note
    }
}

/// The codes of one system, as a file in `rules/catalogue/` gives them.
public struct CatalogueSystem: Equatable, Sendable {
    /// Whose rows they are; a merchant's override shipped ones.
    public enum Owner: String, CaseIterable, Hashable, Sendable {
        /// Comes with Shunt.
        case shipped
        /// The merchant's own file.
        case merchant
    }

    /// One code and its row. A code `1000-1005` is a range of numbers, both ends included.
    public struct Row: Hashable, Sendable {
        /// The code or range.
        public var code: String
        /// What it means.
        public var entry: CatalogueEntry

        /// A row.
        public init(code: String, entry: CatalogueEntry) {
            self.code = code
            self.entry = entry
        }
    }

    /// The system's name, e.g. `iso8583`.
    public var name: String
    /// The values of `error.domain` that it answers to. The first system with the code wins.
    public var domains: [String]
    /// The system that `error.subcode` belongs to; looked up before the code.
    public var subcodes: String?
    /// A code `D:C` is also found as domain `D`, code `C`, when this is `:`.
    public var splitAt: Character?
    /// Whose rows they are.
    public var owner: Owner
    /// The rows, in the file's order.
    public var rows: [Row]

    /// A system's codes.
    public init(
        name: String,
        domains: [String],
        subcodes: String? = nil,
        splitAt: Character? = nil,
        owner: Owner = .shipped,
        rows: [Row]
    ) {
        self.name = name
        self.domains = domains
        self.subcodes = subcodes
        self.splitAt = splitAt
        self.owner = owner
        self.rows = rows
    }
}
