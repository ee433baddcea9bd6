import ShuntCore
import ShuntSchema
import ShuntServer

/// What `shunt rules backtest` shows.
struct BacktestText {
    /// More alerts of one rule help nobody who reads; `--json` has them.
    private static let mostOfRule = 50
    /// So many live alerts are told of one alert.
    private static let mostLive = 3
    /// Longer names are cut, so that a line fits a terminal.
    private static let mostOfValues = 40

    private let report: BacktestReport
    private let folder: String

    init(_ report: BacktestReport, _ folder: String) {
        self.report = report
        self.folder = folder
    }

    var text: String {
        var lines = [heading]
        lines += notes
        for rule in report.rules { lines += [""] + self.lines(of: rule) }
        if !report.missed.isEmpty { lines += ["", "live, and not with these rules"] + missed }
        lines += ["", summary]
        return lines.map { Self.wrapped($0) }.joined()
    }

    private static func wrapped(_ line: String) -> String {
        let start = line.prefix { $0 == " " }.count
        // What belongs to a label goes below what the label is for.
        let isLabelled = start == 4 && line.dropFirst(4 + 9).first != " " && line.dropFirst(11).hasPrefix("  ")
        let indentation = String(repeating: " ", count: isLabelled ? 13 : start + 2)
        return RulesReport.wrapped(line, indentation: indentation)
    }

    // MARK: The whole

    private var heading: String {
        "\(Self.minute(report.since)) to \(Self.minute(report.until)) UTC, "
            + "\(Self.grouped(report.eventCount)) \(report.eventCount == 1 ? "event" : "events"), "
            + "the rules of \(folder.visible)"
    }

    private var notes: [String] {
        var notes: [String] = []
        if let beginning = report.journalBeginsAt {
            notes.append("the journal begins at \(Self.second(beginning)); what came before isn't known")
        }
        if report.unreadableCount > 0 {
            let entries = RulesReport.count(report.unreadableCount, "place", "places")
            notes.append("\(entries) of the journal can't be read and are left out:")
            notes += report.unreadable.map { "  \($0.visible)" }
        }
        if let known = report.liveKnownFrom {
            if known > max(report.since, report.journalBeginsAt ?? report.since) {
                notes.append("what the live rules did is known from \(Self.second(known)) on")
            }
        } else {
            notes.append("what the live rules did isn't known: older days of the journal are gone")
        }
        return notes
    }

    private var summary: String {
        let trips = report.rules.reduce(0) { $0 + $1.tripCount }
        var text = Self.alerts(report.alerts.count + report.omittedAlertCount, trips: trips)
        if report.omittedAlertCount > 0 { text += " (\(Self.grouped(report.omittedAlertCount)) alerts not listed)" }
        guard report.liveKnownFrom != nil else { return text }
        text += "; live: " + Self.alerts(report.liveAlertCount, trips: report.liveTripCount)
        if !report.missed.isEmpty { text += ", \(report.missed.count) of them not with these rules" }
        return text
    }

    private static func alerts(_ alerts: Int, trips: Int) -> String {
        let words = alerts == 1 ? "1 alert" : "\(grouped(alerts)) alerts"
        return words + ", " + (trips == 1 ? "1 trip" : "\(grouped(trips)) trips")
    }

    // MARK: A rule

    private func lines(of rule: BacktestRule) -> [String] {
        var heading = "\(rule.rule): \(Self.alerts(rule.alertCount, trips: rule.tripCount))"
        if rule.degradedMs > 0 { heading += ", degraded for \(Self.duration(rule.degradedMs))" }
        var lines = [heading]
        if let zone = rule.blindZone { lines.append("  " + Self.text(zone)) }
        for alert in report.openBefore where alert.rule == rule.rule {
            let state = "open already since \(Self.second(alert.startsAt)), \(Self.lasting(alert))"
            lines.append("  \(Self.subject(alert.group)): \(state)")
        }
        let alerts = report.alerts.filter { $0.rule == rule.rule }
        lines += alerts.prefix(Self.mostOfRule).flatMap(self.lines(of:))
        if alerts.count > Self.mostOfRule {
            lines.append("  … and \(Self.grouped(alerts.count - Self.mostOfRule)) more; --json has them")
        }
        return lines
    }

    private static func text(_ zone: BacktestBlindZone) -> String {
        guard zone.blindHours > 0 else {
            let hours = zone.hours == 1 ? "the one hour" : "all \(grouped(zone.hours)) hours"
            return "had the traffic to fire in \(hours)"
        }
        let percent = Int((Double(zone.blindHours) / Double(zone.hours) * 100).rounded())
        let hours = "\(grouped(zone.blindHours)) of \(grouped(zone.hours))"
        return "can't fire on \(percent) % of hours (\(hours)): traffic too low"
    }

    // MARK: An alert

    private func lines(of alert: BacktestAlert) -> [String] {
        let lasting = Self.lasting(alert)
        var lines = ["  \(Self.second(alert.startsAt))  \(Self.subject(alert.group)), \(lasting)"]
        if let payments = alert.payments { lines.append("    failed   " + Self.text(payments)) }
        if alert.trips.isEmpty, let key = alert.switchKey {
            lines.append("    switch   \(key.visible) stays (\(alert.decision.name))")
        }
        for trip in alert.trips { lines.append("    switch   " + Self.text(trip, of: alert)) }
        return lines + live(of: alert).map { "    live     \($0)" }
    }

    private static func lasting(_ alert: BacktestAlert) -> String {
        let time = duration(alert.lastsUntil.milliseconds - alert.startsAt.milliseconds)
        return alert.endsAt == nil ? "still open after \(time)" : "for \(time)"
    }

    private static func text(_ payments: BacktestPayments) -> String {
        let amounts = payments.amounts.map { ", " + MoneyText.text($0.minor, $0.currency) }.joined()
        guard payments.seen > payments.failed else {
            let words = payments.failed == 1 ? "1 payment" : "\(grouped(payments.failed)) payments"
            return "\(words)\(amounts); no other was seen"
        }
        let share = payments.share ?? 0
        let percent = share < 0.1 ? "\((share * 1000).rounded() / 10)" : "\(Int((share * 100).rounded()))"
        return "\(grouped(payments.failed)) of \(grouped(payments.seen)) payments (\(percent) %)\(amounts)"
    }

    private static func text(_ trip: BacktestTrip, of alert: BacktestAlert) -> String {
        let later = trip.at > alert.startsAt ? " \(difference(trip.at, from: alert.startsAt))" : ""
        let scope = trip.scope.attributes.map { ", \($0.name)=\($0.value)" }.joined()
        let time = duration(trip.lastsUntil.milliseconds - trip.at.milliseconds)
        let end = trip.restoredAt == nil ? "still degraded after \(time)" : "degraded for \(time)"
        return "\(trip.switchKey) → \(trip.variant)\(later)\(scope), version \(trip.version), \(end)".visible
    }

    private func live(of alert: BacktestAlert) -> [String] {
        guard let live = alert.live else { return ["isn't known"] }
        var lines = live.alerts.prefix(Self.mostLive).map { other in
            let time = Self.difference(other.startsAt, from: alert.startsAt)
            return "\(other.rule.visible) \(Self.values(other.group)) \(time), \(Self.decision(of: other))"
        }
        if live.alerts.count > Self.mostLive { lines.append("and \(live.alerts.count - Self.mostLive) more alerts") }
        for trip in live.operatorTrips.prefix(Self.mostLive) {
            let time = Self.difference(trip.at, from: alert.startsAt)
            lines.append("a person degraded \(trip.switchKey.visible) \(time)")
        }
        return lines.isEmpty ? ["nothing"] : lines
    }

    private var missed: [String] {
        var lines = report.missed.prefix(Self.mostOfRule).map { alert in
            "  \(Self.second(alert.startsAt))  \(alert.rule.visible) \(Self.subject(alert.group)), "
                + Self.decision(of: alert)
        }
        if report.missed.count > Self.mostOfRule {
            lines.append("  … and \(Self.grouped(report.missed.count - Self.mostOfRule)) more; --json has them")
        }
        return lines
    }

    private static func decision(of alert: BacktestLiveAlert) -> String {
        if let trip = alert.trips.first { return "tripped \(trip.switchKey.visible)" }
        return switch alert.decision {
        case .tripped: "tripped"
        case .wouldHaveTripped: "would have tripped (dryRun)"
        case .overridden: "tripped beneath an override"
        case .held(let hold): "no trip (\(hold.rawValue))"
        case .noSwitch: "no switch"
        }
    }

    // MARK: Words

    /// E.g. `verify/8771 in production`.
    private static func subject(_ group: [ScopeAttribute]) -> String {
        let environment = group.first?.value ?? ""
        return group.count > 1 ? "\(values(group)) in \(environment.visible)" : values(group)
    }

    /// The same without the environment, where there is anything else.
    private static func values(_ group: [ScopeAttribute]) -> String {
        let values = (group.count > 1 ? group.dropFirst() : group[...]).map(\.value).joined(separator: "/").visible
        return values.count <= mostOfValues ? values : values.prefix(mostOfValues - 1) + "…"
    }

    private static func minute(_ time: Timestamp) -> String { clock(time, 16) }
    private static func second(_ time: Timestamp) -> String { clock(time, 19) }

    private static func clock(_ time: Timestamp, _ length: Int) -> String {
        String(time.rfc3339.prefix(length).map { $0 == "T" ? " " : $0 })
    }

    /// E.g. `40 s earlier`.
    private static func difference(_ time: Timestamp, from other: Timestamp) -> String {
        let milliseconds = time.milliseconds - other.milliseconds
        if milliseconds == 0 { return "at the same time" }
        return "\(duration(abs(milliseconds))) \(milliseconds < 0 ? "earlier" : "later")"
    }

    /// In the two largest units: `1 d 4 h`, `2 min 5 s`, `40 s`, `250 ms`.
    private static func duration(_ milliseconds: Int64) -> String {
        guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
        let seconds = milliseconds / 1000
        let units = [
            (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
        ]
        let parts = units.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }
        return parts.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }

    private static func grouped(_ number: Int) -> String { MoneyText.grouped("\(number)") }
}
