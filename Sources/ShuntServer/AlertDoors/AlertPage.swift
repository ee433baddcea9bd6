internal import ShuntCore
internal import ShuntNative

/// Which alerts are asked for.
struct AlertPage: Sendable {
    private var states: Set<AlertPhase> = Set(AlertPhase.allCases)
    private var rules: Set<String>?
    private var environment: String?
    private var before: Place?
    private(set) var limit = AlertsEndpoint.defaultLimit

    /// The words that `state` takes. What is mitigated fires too.
    private static let words: [(word: String, phases: [AlertPhase])] = [
        ("pending", [.pending]), ("firing", [.firing, .mitigated]), ("mitigated", [.mitigated]),
        ("resolved", [.inactive]),
    ]

    init(_ head: HTTPRequestHead) throws(Problem) {
        if let text = head.query("state") {
            states = []
            for word in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let known = Self.words.first(where: { $0.word == word }) else {
                    let expected = Self.words.map(\.word).joined(separator: ", ")
                    throw Problem(400, "invalidState", "expected state to be some of \(expected)")
                }
                states.formUnion(known.phases)
            }
        }
        rules = head.query("rule").map { Set($0.split(separator: ",").map(String.init)) }
        if head.query("environment") != nil { environment = try SwitchesEndpoint.environment(head) }
        if let text = head.query("limit") {
            guard let limit = Int(text), (1...AlertsEndpoint.maximumLimit).contains(limit) else {
                throw Problem(400, "invalidLimit", "expected limit to be 1 to \(AlertsEndpoint.maximumLimit)")
            }
            self.limit = limit
        }
        if let text = head.query("cursor") {
            guard let place = Place(text) else {
                throw Problem(400, "invalidCursor", "expected cursor to be the nextCursor of an answer")
            }
            before = place
        }
    }

    /// Those of the alerts that are meant, newest first; one more than the limit, where there are more.
    func select(_ alerts: [Alert]) -> ArraySlice<Alert> {
        let meant = alerts.compactMap { alert -> (place: Place, alert: Alert)? in
            guard states.contains(alert.phase), rules?.contains(alert.rule) ?? true,
                environment.map({ alert.group.first?.value == $0 }) ?? true, let place = Place(alert.id),
                before.map({ place < $0 }) ?? true
            else { return nil }
            return (place, alert)
        }
        return meant.sorted { $1.place < $0.place }.map(\.alert).prefix(limit + 1)
    }

    /// An alert's identity, in the order of the journal.
    private struct Place: Comparable {
        var seq: UInt64
        var index: Int

        init?(_ id: String) {
            let parts = id.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, let seq = UInt64(parts[0]), let index = Int(parts[1]) else { return nil }
            self.seq = seq
            self.index = index
        }

        static func < (left: Place, right: Place) -> Bool {
            (left.seq, left.index) < (right.seq, right.index)
        }
    }
}
