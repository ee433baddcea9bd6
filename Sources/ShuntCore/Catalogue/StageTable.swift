public import ShuntSchema

/// What a stage makes of transport faults and cancels.
public struct StageRule: Hashable, Sendable {
    /// What a time-out, a lost connection or a 5xx means.
    public enum Transport: Hashable, Sendable {
        /// Money may have moved.
        case inDoubt
        /// It hasn't, and these classes can be at fault; a row with another class takes the first.
        case classes([FailureClass])
    }

    /// What a cancel means.
    public enum Cancel: String, CaseIterable, Hashable, Sendable {
        /// The payer changed their mind before anything was sent.
        case user
        /// The charge goes on without the payer.
        case inDoubt
    }

    /// What a transport fault means.
    public var transport: Transport
    /// What a cancel means.
    public var cancel: Cancel
    /// Whether money has moved, or may have.
    public var money: MoneyState
    /// Whether an error that proves that nothing was sent settles the matter. Not where an earlier request had gone out.
    public var proofHolds: Bool
    /// Whether a code that no system knows is in doubt, since the charge had been asked for.
    public var unknownCodeIsInDoubt: Bool
    /// A cancel faster than this, in milliseconds, was no payer: the sheet closed by itself.
    public var quickCancelMs: Int64?

    /// A stage's rule.
    public init(
        transport: Transport,
        cancel: Cancel,
        money: MoneyState,
        proofHolds: Bool = true,
        unknownCodeIsInDoubt: Bool = false,
        quickCancelMs: Int64? = nil
    ) {
        self.transport = transport
        self.cancel = cancel
        self.money = money
        self.proofHolds = proofHolds
        self.unknownCodeIsInDoubt = unknownCodeIsInDoubt
        self.quickCancelMs = quickCancelMs
    }
}

/// Rows whose meaning hangs on the stage.
public struct StageDependence: Hashable, Sendable {
    /// What such a row reports.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// A time-out, a lost connection, an answer that says nothing.
        case transport
        /// Somebody or something stopped the payment.
        case cancel
    }

    /// The system that the codes belong to.
    public var system: String
    /// What they report.
    public var kind: Kind
    /// The codes, as in the system's rows.
    public var codes: [String]
    /// The only stages that make them harmless; nil: whichever stage's rule says so.
    public var harmlessAt: [Stage]?

    /// Rows that hang on the stage.
    public init(system: String, kind: Kind, codes: [String], harmlessAt: [Stage]? = nil) {
        self.system = system
        self.kind = kind
        self.codes = codes
        self.harmlessAt = harmlessAt
    }
}

/// How far the attempt had come decides what transport faults and cancels mean: `rules/catalogue/stages.yaml`.
public struct StageTable: Equatable, Sendable {
    /// The codes of a system.
    public struct Codes: Hashable, Sendable {
        /// The system's name.
        public var system: String
        /// The codes, as in the system's rows.
        public var codes: [String]

        /// Codes of a system.
        public init(system: String, codes: [String]) {
            self.system = system
            self.codes = codes
        }
    }

    /// The rule of each stage; ``StageTable/rule(at:)`` falls back on that of `unknown`.
    public var rules: [Stage: StageRule]
    /// Rows that are transport faults or cancels.
    public var hangsOnStage: [StageDependence]
    /// Rows that prove that nothing was sent.
    public var nothingSent: [Codes]
    /// Codes that name a transport fault whatever their domain, in lower case without `-` and `_`.
    public var transportCodes: Set<String>
    /// What such a code means.
    public var transportEntry: CatalogueEntry
    /// Whether a code that no system knows counts towards a trip.
    public var unknownCodeWeight: SwitchWeight

    /// A table. Without rules for stages everything unproven is in doubt.
    public init(
        rules: [Stage: StageRule],
        hangsOnStage: [StageDependence] = [],
        nothingSent: [Codes] = [],
        transportCodes: Set<String> = [],
        transportEntry: CatalogueEntry = StageTable.timeOut,
        unknownCodeWeight: SwitchWeight = .count
    ) {
        self.rules = rules
        self.hangsOnStage = hangsOnStage
        self.nothingSent = nothingSent
        self.transportCodes = transportCodes
        self.transportEntry = transportEntry
        self.unknownCodeWeight = unknownCodeWeight
    }

    /// A time-out that no system names.
    public static let timeOut = CatalogueEntry(
        name: "time-out or lost connection",
        failureClass: .network,
        retry: .queryFirst,
        switchWeight: .count,
        money: .stage
    )

    private static let cautious = StageRule(transport: .inDoubt, cancel: .inDoubt, money: .mayHaveMoved)

    /// The rule of a stage.
    public func rule(at stage: Stage) -> StageRule { rules[stage] ?? rules[.unknown] ?? Self.cautious }
}
