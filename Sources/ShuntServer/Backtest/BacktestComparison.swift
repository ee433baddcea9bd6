internal import ShuntCore
internal import ShuntSchema

/// Sets what the rules to try did beside what the live rules and people did.
struct BacktestComparison {
    /// So many live alerts are told of one alert.
    private static let mostOfOne = 20

    /// The live alerts, by time.
    let alerts: [BacktestLiveAlert]
    private let operatorTrips: [BacktestTrip]
    private let knownFrom: Timestamp?
    private let until: Timestamp

    init(live: BacktestFold, knownFrom: Timestamp?, until: Timestamp) {
        let (alerts, trips) = live.results(until: until)
        let tripsByAlert = Dictionary(grouping: trips) { $0.reason.alert }
        self.alerts = alerts.map { alert in
            BacktestLiveAlert(
                id: alert.id,
                rule: alert.rule,
                group: alert.group,
                startsAt: alert.startsAt,
                endsAt: alert.endsAt,
                lastsUntil: alert.endsAt ?? until,
                decision: alert.decision,
                trips: tripsByAlert[alert.id] ?? []
            )
        }
        operatorTrips = trips.filter { $0.reason.alert == nil }
        self.knownFrom = knownFrom
        self.until = until
    }

    /// One alert of the rules to try, with its trips and what was live meanwhile.
    func alert(
        _ alert: Alert,
        trips: [BacktestTrip],
        payments: BacktestPayments?,
        ruleSet: RuleSet
    ) -> BacktestAlert {
        var result = BacktestAlert(
            rule: alert.rule,
            severity: alert.severity,
            group: alert.group,
            startsAt: alert.startsAt,
            endsAt: alert.endsAt,
            lastsUntil: alert.endsAt ?? until,
            count: alert.count,
            switchKey: ruleSet.rules.first { $0.id == alert.rule }?.trip?.switchKey,
            decision: alert.decision,
            trips: trips,
            payments: payments,
            live: nil
        )
        guard let knownFrom, knownFrom <= alert.startsAt else { return result }
        let environment = alert.group.first?.value
        result.live = BacktestLive(
            alerts: Array(alerts.lazy.filter { result.overlaps($0) }.prefix(Self.mostOfOne)),
            operatorTrips: operatorTrips.filter {
                $0.switchKey == result.switchKey && $0.scope.environment == environment
                    && $0.at <= result.lastsUntil && result.startsAt <= $0.lastsUntil
            }
        )
        return result
    }
}

extension BacktestAlert {
    /// Whether a live alert lasted at the same time and may be about the same payers: no attribute that both groups
    /// name differs.
    func overlaps(_ other: BacktestLiveAlert) -> Bool {
        guard other.startsAt <= lastsUntil, startsAt <= other.lastsUntil else { return false }
        return group.allSatisfy { attribute in
            other.group.allSatisfy { $0.name != attribute.name || $0.value == attribute.value }
        }
    }
}
