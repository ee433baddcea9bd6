internal import ShuntSchema

/// What the rules say of a switch's payers, put together once when rules come into force: it is asked for every event.
struct SwitchWatch: Sendable {
    /// For each rule that trips the switch its conditions on payers: what they say of errors is left aside.
    private var payers: [[Condition]]
    /// The attributes by which any of these rules narrows what it trips, in the order of their names.
    private let dimensions: [Dimension]
    /// The share of failures below which a probe is good, in per cent: half of what trips the switch.
    let goodBelowPercent: Int
    /// Whether a limit of payers is to be kept, so that their slices must be known.
    let isLimited: Bool

    init(_ definition: SwitchDefinition, rules: [Rule]) {
        let tripping = rules.filter { $0.trip?.switchKey == definition.key }
        payers = tripping.map { $0.match.filter { !$0.dimension.isOfFailures } }
        // One that says nothing of payers lets all of them through.
        if payers.contains(where: \.isEmpty) { payers = [] }
        dimensions = Set(tripping.flatMap { $0.trip?.scope ?? [] }).sorted { $0.rawValue < $1.rawValue }
        let share = tripping.compactMap(\.tripShare).min()
        goodBelowPercent = share.map { max(1, $0 / 2) } ?? definition.recovery.goodBelowPercent
        isLimited = definition.blastRadiusPercent < 100
    }

    /// Whether an event is of the payments that the switch decides for: one of the rules that trip it looks at such.
    func isAbout(_ event: PaymentEvent, meaning classification: Classification) -> Bool {
        payers.isEmpty || payers.contains { $0.allSatisfy { $0.holds(for: event, meaning: classification) } }
    }

    /// The slice that an event's payer is in, as far as any of the rules would narrow it.
    func slice(of event: PaymentEvent, meaning classification: Classification) -> [ScopeAttribute] {
        guard !dimensions.isEmpty else { return [] }
        return Scope(of: event, meaning: classification, in: event.environment, narrowedBy: dimensions).attributes
    }
}

extension Rule {
    /// The share of failing attempts that a trip needs, in per cent; nil where it needs none.
    fileprivate var tripShare: Int? {
        if case .share(let percent, _) = kind { return percent }
        return require.share
    }
}
