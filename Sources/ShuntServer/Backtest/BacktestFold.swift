internal import ShuntCore
internal import ShuntSchema

/// One of the folds that a back-test runs side by side, with all that it did since a time.
struct BacktestFold {
    /// What is remembered of alerts and trips that are over, each; more are only counted.
    static let mostKept = 10_000

    /// What an entry made of an alert.
    enum Change {
        case opened(Alert)
        case ended(Alert)
    }

    private(set) var state = State()
    /// The alerts that ended since, in the order of their ends.
    private var ended: [Alert] = []
    private var open: [String: Alert] = [:]
    private var restored: [BacktestTrip] = []
    private var degraded: [BacktestTrip] = []
    /// Alerts that began since and aren't kept.
    private(set) var omittedCount = 0
    private let since: Timestamp

    /// - Parameter since: What was over before is forgotten.
    init(since: Timestamp) {
        self.since = since
    }

    /// Folds an entry in and says which alerts began and ended, in order.
    mutating func apply(_ entry: Entry) -> [Change] {
        let effects = state.apply(entry)
        guard !effects.isEmpty else { return [] }
        var changes: [Change] = []
        for effect in effects {
            switch effect.kind {
            case .switchMoved(let transition): note(transition)
            case .alertChanged(let change): note(change.alert).map { changes.append($0) }
            }
        }
        return changes
    }

    /// Lets time pass, with a tick at each deadline, as the daemon's own clock gives them.
    ///
    /// - Parameter nextSeq: The number of a tick, made anew for each.
    mutating func advance(to end: Timestamp, nextSeq: () -> UInt64) -> [Change] {
        var changes: [Change] = []
        while state.isDue(at: end), let due = state.nextDeadline, due <= end {
            changes += apply(Entry(seq: nextSeq(), at: due, input: .tick))
        }
        return changes
    }

    /// Everything since: the alerts by their beginning, the trips by theirs. Those still open last until the end.
    func results(until end: Timestamp) -> (alerts: [Alert], trips: [BacktestTrip]) {
        // The fold doesn't tell of a decision that became another one, but the state knows it.
        let current = Dictionary(state.openAlerts.map { ($0.id, $0) }) { first, _ in first }
        let alerts = (ended + open.values.map { current[$0.id] ?? $0 }).sorted {
            ($0.startsAt, $0.rule, $0.id) < ($1.startsAt, $1.rule, $1.id)
        }
        let lasting = degraded.map { trip in
            var trip = trip
            trip.lastsUntil = end
            return trip
        }
        return (alerts, (restored + lasting).sorted { ($0.at, $0.version) < ($1.at, $1.version) })
    }

    private mutating func note(_ alert: Alert) -> Change? {
        // One that only warned, or waited, was none.
        guard alert.phase.isFiring || open[alert.id] != nil else { return nil }
        // A watchdog always fires, whatever becomes of payments.
        guard state.ruleSet.rules.first(where: { $0.id == alert.rule })?.kind != .watchdog else { return nil }
        if let endsAt = alert.endsAt {
            open[alert.id] = nil
            guard endsAt >= since else { return .ended(alert) }
            if ended.count < Self.mostKept { ended.append(alert) } else { omittedCount += 1 }
            return .ended(alert)
        }
        return open.updateValue(alert, forKey: alert.id) == nil ? .opened(alert) : nil
    }

    /// In a dry run and in a drill the machine moves, and payers stay where they are.
    private func movesPayers(_ transition: SwitchTransition) -> Bool {
        transition.variant != state.ruleSet.switchDefinition(transition.key)?.normalVariant
    }

    private mutating func note(_ transition: SwitchTransition) {
        let position = degraded.firstIndex { $0.switchKey == transition.key && $0.scope == transition.scope }
        if transition.to == .normal {
            guard let position else { return }
            var trip = degraded.remove(at: position)
            trip.restoredAt = transition.at
            trip.lastsUntil = transition.at
            if transition.at >= since, restored.count < Self.mostKept { restored.append(trip) }
        } else if transition.from == .normal, position == nil, movesPayers(transition) {
            degraded.append(
                BacktestTrip(
                    switchKey: transition.key,
                    scope: transition.scope,
                    variant: transition.variant,
                    version: transition.version,
                    at: transition.at,
                    restoredAt: nil,
                    lastsUntil: transition.at,
                    reason: transition.reason
                )
            )
        }
    }
}
