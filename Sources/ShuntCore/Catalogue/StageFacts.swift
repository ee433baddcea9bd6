internal import ShuntSchema

/// A set of stages in a word.
struct StageSet: Hashable, Sendable {
    private var bits: UInt16 = 0

    /// Every stage.
    static let all = StageSet(Stage.allCases)

    init(_ stages: [Stage]) {
        for stage in stages { bits |= 1 << UInt16(stage.place) }
    }

    func contains(_ stage: Stage) -> Bool { bits >> UInt16(stage.place) & 1 == 1 }
}

/// A row as the classifier sees it: bytes only, so that nothing is retained or moved about on the way.
struct RowFacts: Sendable {
    var failureClass: FailureClass
    var retry: RetryAdvice
    var switchWeight: SwitchWeight
    var money: MoneyState
    var owner: CatalogueSystem.Owner
    /// What it reports, if its meaning hangs on the stage.
    var dependence: StageDependence.Kind?
    /// The only stages that can make it harmless.
    var harmlessAt = StageSet.all
    var provesNothingSent = false

    init(_ entry: CatalogueEntry, owner: CatalogueSystem.Owner) {
        failureClass = entry.failureClass
        retry = entry.retry
        switchWeight = entry.switchWeight
        money = entry.money
        self.owner = owner
    }

    /// The row says that nobody knows; another candidate may know better.
    var isVague: Bool { failureClass == .unknown }

    /// Whether a text in the message may say better. What the payer, the issuer or a risk check refused stays so, and so
    /// does what says by itself that money moved or may have.
    var yieldsToText: Bool {
        isVague || dependence != nil || failureClass.isTechnical && money == .notMoved
    }
}

/// The stage table as the classifier sees it: one rule a stage, at the stage's place.
struct StageFacts: Sendable {
    /// A stage's rule in bytes.
    struct Rule: Sendable {
        var transportIsInDoubt: Bool
        /// The classes that a transport fault can be, as bits by place.
        var classes: UInt16
        /// The one that it is if the row says another.
        var firstClass: FailureClass
        var cancel: StageRule.Cancel
        var money: MoneyState
        var proofHolds: Bool
        var unknownCodeIsInDoubt: Bool
        var quickCancelMs: Int64

        init(_ rule: StageRule) {
            switch rule.transport {
            case .inDoubt:
                transportIsInDoubt = true
                classes = 0
                firstClass = .inDoubt
            case .classes(let list):
                transportIsInDoubt = false
                classes = list.reduce(0) { $0 | 1 << UInt16($1.place) }
                firstClass = list.first ?? .unknown
            }
            cancel = rule.cancel
            money = rule.money
            proofHolds = rule.proofHolds
            unknownCodeIsInDoubt = rule.unknownCodeIsInDoubt
            quickCancelMs = rule.quickCancelMs ?? .min
        }

        /// The class of a transport fault that a row calls `failureClass`.
        func transportClass(_ failureClass: FailureClass) -> FailureClass {
            classes >> UInt16(failureClass.place) & 1 == 1 ? failureClass : firstClass
        }
    }

    private let rules: [Rule]
    /// Codes that name a transport fault whatever their domain.
    let transportCodes: Set<String>
    let transport: RowFacts
    let unknownCodeWeight: SwitchWeight

    init(_ table: StageTable) {
        rules = Stage.allCases.map { Rule(table.rule(at: $0)) }
        transportCodes = table.transportCodes
        transport = RowFacts(table.transportEntry, owner: .shipped)
        unknownCodeWeight = table.unknownCodeWeight
    }

    func rule(at stage: Stage) -> Rule { rules[stage.place] }
}

extension Stage {
    /// Its place in `allCases`.
    var place: Int {
        switch self {
        case .precheck: 0
        case .present: 1
        case .merchantValidation: 2
        case .authorize: 3
        case .tokenSubmit: 4
        case .tokenDecrypt: 5
        case .threeDS: 6
        case .charge: 7
        case .asyncResult: 8
        case .complete: 9
        case .verifyReceipt: 10
        case .capture: 11
        case .void: 12
        case .refund: 13
        case .unknown: 14
        }
    }
}

extension FailureClass {
    /// Its place in `allCases`.
    var place: Int {
        switch self {
        case .user: 0
        case .issuer: 1
        case .risk: 2
        case .merchantConfig: 3
        case .clientApp: 4
        case .network: 5
        case .processor: 6
        case .inDoubt: 7
        case .notFailure: 8
        case .unknown: 9
        }
    }

    /// A fault of a system rather than a refusal by a person or a bank; only these can count towards a trip before the
    /// token is sent.
    var isTechnical: Bool {
        switch self {
        case .merchantConfig, .clientApp, .network, .processor: true
        case .user, .issuer, .risk, .inDoubt, .notFailure, .unknown: false
        }
    }
}
