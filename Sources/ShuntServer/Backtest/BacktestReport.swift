public import ShuntCore
public import ShuntSchema

/// What other rules would have done about what is in the journal, beside what the live ones did.
public struct BacktestReport: Equatable, Sendable {
    /// The stretch that was asked for, up to now.
    public var since: Timestamp
    /// Where the journal begins, if that is later.
    public var journalBeginsAt: Timestamp?
    /// Now, or the journal's last entry if that is later.
    public var until: Timestamp
    /// The payment events received in that stretch.
    public var eventCount = 0
    /// All entries that were folded, those before the stretch included.
    public var entryCount = 0
    /// Entries, or days behind a damage, that can't be read and were left out.
    public var unreadableCount = 0
    /// The first of them, in words.
    public var unreadable: [String] = []
    /// Each of the rules, in their order.
    public var rules: [BacktestRule] = []
    /// The alerts that began in the stretch, by time.
    public var alerts: [BacktestAlert] = []
    /// Alerts beyond the limit, which are only counted.
    public var omittedAlertCount = 0
    /// Alerts that were open already when the stretch began.
    public var openBefore: [BacktestAlert] = []
    /// From when on it is known what the live rules did; nil if that isn't known at all.
    public var liveKnownFrom: Timestamp?
    /// The live alerts that began in the stretch.
    public var liveAlertCount = 0
    /// Those of them that tripped a switch.
    public var liveTripCount = 0
    /// Those of them that no alert of these rules overlaps, by time.
    public var missed: [BacktestLiveAlert] = []
}

/// What one rule would have done.
public struct BacktestRule: Equatable, Sendable {
    /// The rule.
    public var rule: String
    /// Its alerts that began in the stretch.
    public var alertCount = 0
    /// The trips of those.
    public var tripCount = 0
    /// For how long those kept a switch degraded, in milliseconds; slices side by side add up.
    public var degradedMs: Int64 = 0
    /// When it couldn't have fired; nil for a kind of rule that no traffic is too low for.
    public var blindZone: BacktestBlindZone?
}

/// The hours (UTC) in which traffic was too low for a rule to fire.
public struct BacktestBlindZone: Equatable, Sendable {
    /// Hours in which the rule couldn't have reached its threshold even if every payment that it looks at had failed.
    public var blindHours: Int
    /// All hours in which any payment event was received.
    public var hours: Int
}

/// An alert that the rules would have fired.
public struct BacktestAlert: Equatable, Sendable {
    /// The rule.
    public var rule: String
    /// How loud it is.
    public var severity: Severity
    /// The values of the attributes that the rule groups by, the environment first.
    public var group: [ScopeAttribute]
    /// When it fired.
    public var startsAt: Timestamp
    /// When it ended; nil when it was still open at the end.
    public var endsAt: Timestamp?
    /// Until when it lasted, the end of the stretch for one that was still open.
    public var lastsUntil: Timestamp
    /// What was counted when it fired.
    public var count: Int
    /// The switch that the rule trips, if any.
    public var switchKey: String?
    /// What was decided about the switch, last.
    public var decision: TripDecision
    /// Its trips of the switch, by time.
    public var trips: [BacktestTrip]
    /// The payments while it lasted; nil for a group that stands for all beyond the limit.
    public var payments: BacktestPayments?
    /// What the live rules and people did meanwhile; nil where that isn't known.
    public var live: BacktestLive?
}

/// A stretch in which a switch wasn't normal.
public struct BacktestTrip: Equatable, Sendable {
    /// The switch.
    public var switchKey: String
    /// The slice.
    public var scope: Scope
    /// The variant that was served.
    public var variant: String
    /// The version that it made. In a back-test versions count up from the back-test's own start.
    public var version: UInt64
    /// When it tripped.
    public var at: Timestamp
    /// When it was normal again; nil if it wasn't at the end.
    public var restoredAt: Timestamp?
    /// Until when it lasted, the end of the stretch for one that wasn't restored.
    public var lastsUntil: Timestamp
    /// Why it tripped.
    public var reason: SwitchReason
}

/// The payments while an alert lasted, from the event that fired it on.
public struct BacktestPayments: Equatable, Sendable {
    /// The attempts that the rule counted.
    public var failed = 0
    /// All attempts that were seen in the slice, failed or not.
    public var seen = 0
    /// What the failed ones were worth, by currency. A sum of amounts can be beyond what one amount can.
    public var amounts: [BacktestAmount] = []

    /// The share that failed, from 0 to 1; nil where nothing was seen.
    public var share: Double? { seen > 0 ? Double(failed) / Double(seen) : nil }
}

/// An exact sum of money.
public struct BacktestAmount: Equatable, Sendable {
    /// The ISO 4217 code.
    public var currency: String
    /// Minor units.
    public var minor: Int128
}

/// What the live rules and people did while an alert lasted.
public struct BacktestLive: Equatable, Sendable {
    /// The live alerts that overlap it in time and whose group doesn't contradict its own, by time.
    public var alerts: [BacktestLiveAlert]
    /// When people had degraded the switch that the rule trips, in its environment, by time.
    public var operatorTrips: [BacktestTrip]
}

/// An alert that the live rules fired.
public struct BacktestLiveAlert: Equatable, Sendable {
    /// Its identity, as the daemon knows it.
    public var id: String
    /// The rule.
    public var rule: String
    /// The values of the attributes that the rule groups by, the environment first.
    public var group: [ScopeAttribute]
    /// When it fired.
    public var startsAt: Timestamp
    /// When it ended; nil when it was still open at the end.
    public var endsAt: Timestamp?
    /// Until when it lasted, the end of the stretch for one that was still open.
    public var lastsUntil: Timestamp
    /// What was decided about the switch, last.
    public var decision: TripDecision
    /// Its trips of the switch, by time.
    public var trips: [BacktestTrip]
}
