public import ShuntSchema

/// How many payments succeeded on each route, by the minute, for a day: what a degraded switch has saved.
public struct RouteHistory: Sendable {
    /// How many routes of environments are told apart.
    private static let maximumRoutes = 256

    private struct Key: Hashable {
        var environment: String
        var route: String
    }

    private var successes: [Key: SparseCounts] = [:]

    mutating func note(_ event: PaymentEvent, at: Timestamp) {
        guard event.outcome == .succeeded, let route = event.route else { return }
        let key = Key(environment: event.environment, route: route)
        guard successes[key] != nil || successes.count < Self.maximumRoutes else { return }
        let count = event.counts.map { UInt32(clamping: $0.count) } ?? 1
        successes[key, default: SparseCounts(partMs: 60_000, kept: 1_440)].add(count, at: at)
    }

    /// How many payments more than before succeeded on a route between two moments, going by its hour before: about how
    /// many were saved by moving payers there. Nil where the route reported no success at all.
    public func saved(environment: String, route: String, from start: Timestamp, until end: Timestamp) -> Int? {
        guard let counts = successes[Key(environment: environment, route: route)] else { return nil }
        let first = start.milliseconds / counts.partMs
        let last = end.milliseconds / counts.partMs
        var during = 0
        var before = 0
        for part in counts.parts(from: first - 60) where part.number <= last {
            if part.number < first { before += Int(part.count) } else { during += Int(part.count) }
        }
        guard during > 0 else { return nil }
        let usual = Int((Int64(before) * (last - first + 1) + 30) / 60)
        return max(0, during - usual)
    }
}
