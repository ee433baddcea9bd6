internal import ShuntCore
public import ShuntSchema

extension BacktestReport {
    /// Writes the report as one JSON object.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("since", since)
        writer.field("journalBeginsAt", journalBeginsAt)
        writer.field("until", until)
        writer.field("events", eventCount)
        writer.field("entries", entryCount)
        writer.field("unreadable", unreadableCount)
        writer.list("firstUnreadable", unreadable) { $0.string($1) }
        writer.list("rules", rules) { $1.write(to: &$0) }
        writer.list("alerts", alerts) { $1.write(to: &$0) }
        writer.field("omittedAlerts", omittedAlertCount)
        writer.list("openBefore", openBefore) { $1.write(to: &$0) }
        writer.key("live")
        writer.beginObject()
        writer.field("knownFrom", liveKnownFrom)
        writer.field("alerts", liveAlertCount)
        writer.field("trips", liveTripCount)
        writer.list("missed", missed) { $1.write(to: &$0) }
        writer.endObject()
        writer.endObject()
    }
}

extension BacktestRule {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("rule", rule)
        writer.field("alerts", alertCount)
        writer.field("trips", tripCount)
        writer.field("degradedMs", degradedMs)
        if let blindZone {
            writer.key("blindZone")
            writer.beginObject()
            writer.field("blindHours", blindZone.blindHours)
            writer.field("hours", blindZone.hours)
            writer.endObject()
        }
        writer.endObject()
    }
}

extension BacktestAlert {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("rule", rule)
        writer.field("severity", severity.rawValue)
        writer.attributes("group", group)
        writer.field("startsAt", startsAt)
        writer.field("endsAt", endsAt)
        writer.field("durationMs", lastsUntil.milliseconds - startsAt.milliseconds)
        writer.field("count", count)
        writer.field("switch", switchKey)
        writer.field("decision", decision.name)
        writer.list("trips", trips) { $1.write(to: &$0) }
        if let payments {
            writer.key("payments")
            payments.write(to: &writer)
        }
        if let live {
            writer.key("live")
            writer.beginObject()
            writer.list("alerts", live.alerts) { writer, alert in alert.write(to: &writer, after: startsAt) }
            writer.list("operatorTrips", live.operatorTrips) { $1.write(to: &$0) }
            writer.endObject()
        }
        writer.endObject()
    }
}

extension BacktestTrip {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("switch", switchKey)
        writer.key("scope")
        writer.beginObject()
        writer.field("environment", scope.environment)
        for attribute in scope.attributes { writer.field(attribute.name, attribute.value) }
        writer.endObject()
        writer.field("variant", variant)
        writer.field("version", version)
        writer.field("at", at)
        writer.field("restoredAt", restoredAt)
        writer.field("degradedMs", lastsUntil.milliseconds - at.milliseconds)
        writer.field("summary", reason.summary)
        writer.endObject()
    }
}

extension BacktestPayments {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("failed", failed)
        writer.field("seen", seen)
        if let share {
            writer.key("share")
            writer.number(share)
        }
        writer.list("amount", amounts) { writer, amount in
            writer.beginObject()
            writer.field("currency", amount.currency)
            writer.field("minor", amount.minor)
            writer.endObject()
        }
        writer.endObject()
    }
}

extension BacktestLiveAlert {
    /// - Parameter start: When the alert began that it is compared with.
    fileprivate func write(to writer: inout JSONWriter, after start: Timestamp? = nil) {
        writer.beginObject()
        writer.field("id", id)
        writer.field("rule", rule)
        writer.attributes("group", group)
        writer.field("startsAt", startsAt)
        writer.field("endsAt", endsAt)
        writer.field("durationMs", lastsUntil.milliseconds - startsAt.milliseconds)
        writer.field("laterMs", start.map { startsAt.milliseconds - $0.milliseconds })
        writer.field("decision", decision.name)
        writer.list("trips", trips) { $1.write(to: &$0) }
        writer.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func list<Element>(
        _ name: String,
        _ elements: [Element],
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        key(name)
        beginArray()
        for element in elements { write(&self, element) }
        endArray()
    }

    fileprivate mutating func attributes(_ name: String, _ attributes: [ScopeAttribute]) {
        key(name)
        beginObject()
        for attribute in attributes { field(attribute.name, attribute.value) }
        endObject()
    }
}
