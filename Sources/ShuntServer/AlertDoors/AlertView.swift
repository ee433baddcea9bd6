internal import ShuntCore
internal import ShuntSchema

/// An alert with what is known of it besides.
struct AlertView: Sendable {
    let alert: Alert
    /// Its rule as it is now; nil where that is gone.
    let rule: Rule?
    /// The silences that cover it.
    let silencedBy: [String]
    let live: Int?

    init(_ alert: Alert, in state: State) {
        self.alert = alert
        rule = state.ruleSet.rules.first { $0.id == alert.rule }
        silencedBy =
            alert.endsAt == nil ? state.alertBook.silences.filter { $0.covers(alert) }.map(\.id) : []
        live =
            alert.endsAt == nil && rule != nil ? state.count(rule: alert.rule, group: alert.group.map(\.value)) : nil
    }

    /// The slice of payers that its rule moves.
    var scope: Scope? {
        guard let trip = rule?.trip else { return nil }
        let names = trip.scope.map(\.rawValue).filter { $0 != Dimension.environment.rawValue }
        return Scope(
            environment: alert.group.first?.value ?? PaymentEvent.defaultEnvironment,
            attributes: alert.group.filter { names.contains($0.name) }
        )
    }
}

extension Alert {
    /// Where it stands, as people say it.
    var stateName: String { phase == .inactive ? "resolved" : phase.rawValue }
}

extension JSONWriter {
    /// An alert as `/v1/alerts` shows it.
    ///
    /// - Parameters:
    ///   - triage: what is known of its failures.
    ///   - notifications: what became of its notices, as a JSON array; nil leaves it out.
    mutating func write(
        _ view: AlertView,
        triage: AlertTriage? = nil,
        language: NoticeLanguage = .english,
        notifications: [UInt8]? = nil
    ) {
        let alert = view.alert
        beginObject()
        field("id", alert.id)
        field("rule", alert.rule)
        field("severity", alert.severity.rawValue)
        field("state", alert.stateName)
        field("summary", view.rule?.summary(of: alert))
        key("group")
        beginObject()
        for attribute in alert.group { field(attribute.name, attribute.value) }
        endObject()
        field("startsAt", alert.startsAt)
        field("endsAt", alert.endsAt)
        field("count", alert.count)
        field("liveCount", view.live)
        field("threshold", view.rule?.threshold)
        field("windowSec", view.rule.map { $0.windowMs / 1000 })
        field("attempts", alert.attempts)
        field("before", alert.before)
        if let attempts = alert.attempts, attempts > 0 {
            key("share")
            number(Double(alert.count * 1000 / attempts) / 1000)
        }
        if let trip = view.rule?.trip {
            key("switch")
            beginObject()
            field("key", trip.switchKey)
            field("scope", view.scope?.text)
            field("action", alert.decision.name)
            field("version", alert.decision.version)
            endObject()
        }
        field("refires", alert.refires)
        field("told", alert.isTold)
        writeAcknowledgement(of: alert)
        field("escalatedAt", alert.escalatedAt)
        key("silencedBy")
        beginArray()
        for id in view.silencedBy { string(id) }
        endArray()
        key("inhibitedBy")
        beginArray()
        if case .inhibited(let id) = alert.hiding { string(id) }
        endArray()
        if let triage { write(triage, language: language) }
        if let notifications {
            key("notifications")
            json(notifications)
        }
        endObject()
    }

    /// What is known of an alert's failures, as fields.
    private mutating func write(_ triage: AlertTriage, language: NoticeLanguage) {
        field("lastEventAt", triage.summary.lastAt)
        field("installs", triage.summary.installs)
        field("payers", triage.summary.payers)
        writeAmounts("amount", triage.summary.orderedAmounts)
        if let whole = triage.whole {
            key("whole")
            beginObject()
            field("firstEventAt", whole.firstAt)
            field("failed", whole.attempts)
            field("payers", whole.payers)
            writeAmounts("amount", whole.orderedAmounts)
            endObject()
        }
        field("saved", triage.saved)
        if let conclusions = triage.conclusions { write(conclusions, language: language) }
    }

    /// Whose it is, if it is somebody's.
    mutating func writeAcknowledgement(of alert: Alert) {
        guard let acknowledgement = alert.acknowledgement else { return }
        field("acknowledgedBy", acknowledgement.actor)
        key("acknowledgement")
        beginObject()
        field("note", acknowledgement.note)
        field("at", acknowledgement.at)
        field("until", acknowledgement.until)
        endObject()
    }

    /// A silence.
    ///
    /// - Parameter alerts: the open alerts that it covers; nil leaves them out.
    mutating func write(_ silence: Silence, hiding alerts: [Alert]?) {
        beginObject()
        field("id", silence.id)
        key("matchers")
        beginArray()
        for matcher in silence.matchers {
            beginObject()
            field("name", matcher.name)
            field("op", matcher.comparison.rawValue)
            field("value", matcher.value)
            endObject()
        }
        endArray()
        field("startsAt", silence.startsAt)
        field("endsAt", silence.endsAt)
        field("untilResolved", silence.isUntilResolved)
        field("createdBy", silence.actor)
        field("comment", silence.comment)
        if let alerts {
            key("hides")
            beginArray()
            for alert in alerts.prefix(100) { string(alert.id) }
            endArray()
            field("hidesCount", alerts.count)
        }
        endObject()
    }
}
