internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// Renders metrics in Prometheus' text format, version 0.0.4: each family once, its samples in a fixed order.
struct MetricsText {
    private var text = ""

    /// What is known besides what `Metrics` counts.
    struct Gauges {
        var documents: [(environment: String, document: SwitchDocument)]
        var journalBytes: Int64
        var parkedPolls: Int
        var streams: Int
        var areRulesGood: Bool
        var outbox: (count: Int, ageMs: Int64)
        var version: String
    }

    static func render(_ values: Metrics.Values, gauges: Gauges) -> String {
        var page = MetricsText()
        page.renderEvents(values)
        page.renderSwitches(values, gauges: gauges)
        page.histogram("shunt_ingest_duration_seconds", "From the last byte of a request to its answer.", values.ingest)
        page.histogram("shunt_commit_duration_seconds", "Append and sync of a group of entries.", values.commit)
        page.histogram(
            "shunt_detection_duration_seconds",
            "From the last byte of the crossing request to the published switch.",
            values.detection
        )
        page.renderNotifications(values)
        page.family("shunt_outbox_pending", "gauge", "Notices that wait for a channel, or are on their way.")
        page.sample("shunt_outbox_pending", [], gauges.outbox.count)
        page.family("shunt_outbox_oldest_seconds", "gauge", "How long the oldest of them has waited.")
        page.sample("shunt_outbox_oldest_seconds", [], gauges.outbox.ageMs / 1000)
        page.family("shunt_access_refused_total", "counter", "Requests refused for want of a token or its role.")
        page.samples(
            "shunt_access_refused_total",
            AccessControl.Refusal.allCases.map { ([("reason", $0.rawValue)], values.refusals[$0] ?? 0) }
        )
        page.family("shunt_commit_failures_total", "counter", "Groups that couldn't be made durable.")
        page.sample("shunt_commit_failures_total", [], values.failedCommits)
        page.family("shunt_journal_bytes", "gauge", "Size of the journal's files.")
        page.sample("shunt_journal_bytes", [], gauges.journalBytes)
        page.family("shunt_journal_last_seq", "gauge", "Number of the journal's last entry.")
        page.sample("shunt_journal_last_seq", [], values.lastSeq)
        page.family(
            "shunt_rules_last_reload_successful",
            "gauge",
            "1 when the rule files were good at the last reload."
        )
        page.sample("shunt_rules_last_reload_successful", [], gauges.areRulesGood ? 1 : 0)
        page.family("shunt_build_info", "gauge", "Always 1; the labels say what is running.")
        page.sample("shunt_build_info", [("version", gauges.version)], 1)
        return page.text
    }

    private mutating func renderEvents(_ values: Metrics.Values) {
        family("shunt_events_total", "counter", "Payments reported, repeats left out.")
        let events = values.events.map { labels, count in
            let failureClass = labels.failureClass.rawValue
            return ([("class", failureClass), ("outcome", labels.outcome.rawValue), ("source", labels.source)], count)
        }
        samples("shunt_events_total", events)
        family("shunt_events_rejected_total", "counter", "Events that were not taken, by the reason.")
        samples("shunt_events_rejected_total", values.rejected.map { ([("reason", $0)], $1) })
        family("shunt_events_duplicate_total", "counter", "Repeats of events that were known.")
        sample("shunt_events_duplicate_total", [], values.duplicates)
        family("shunt_events_late_total", "counter", "Events that were older than every window when they came.")
        sample("shunt_events_late_total", [], values.late)
        family("shunt_events_unknown_fields_total", "counter", "Members of events that the contract doesn't know.")
        sample("shunt_events_unknown_fields_total", [], values.unknownFields)
        family("shunt_error_events_total", "counter", "Events with an error, by error key.")
        samples(
            "shunt_error_events_total",
            values.errors.map { ([("domain", $0.domain), ("code", $0.code)], $1) }
        )
        family("shunt_alerts", "gauge", "Open alerts.")
        samples(
            "shunt_alerts",
            values.openAlerts.map { ([("rule", $0.rule), ("state", $0.phase.rawValue)], UInt64($1)) }
        )
    }

    private mutating func renderNotifications(_ values: Metrics.Values) {
        family("shunt_notifications_total", "counter", "Tries to deliver a notice, by channel and outcome.")
        samples(
            "shunt_notifications_total",
            values.notifications.map { ([("channel", $0.channel), ("outcome", $0.outcome)], $1) }
        )
        family(
            "shunt_notification_template_failures_total",
            "counter",
            "Notices told in the built-in text because the channel's own template failed."
        )
        samples("shunt_notification_template_failures_total", values.templateFailures.map { ([("channel", $0)], $1) })
        histogram("shunt_notification_duration_seconds", "One try to deliver a notice.", values.notification)
    }

    private mutating func renderSwitches(_ values: Metrics.Values, gauges: Gauges) {
        family("shunt_switch_degraded", "gauge", "1 while a switch isn't normal in an environment or a slice of it.")
        for (environment, document) in gauges.documents {
            for status in document.switches {
                let labels = [("switch", status.key), ("scope", environment)]
                sample("shunt_switch_degraded", labels, status.state == .normal ? 0 : 1)
                for scope in status.scopes {
                    let attributes = scope.match.map { ScopeAttribute(name: $0.key, value: $0.value) }
                    let text = Scope(environment: environment, attributes: attributes).text
                    let isDegraded = scope.state == .normal ? 0 : 1
                    sample("shunt_switch_degraded", [("switch", status.key), ("scope", text)], isDegraded)
                }
            }
        }
        family("shunt_switch_version", "gauge", "Version of an environment's switch document.")
        for (environment, document) in gauges.documents {
            sample("shunt_switch_version", [("environment", environment)], document.version)
        }
        family("shunt_switch_transitions_total", "counter", "Moves of switches since the daemon started.")
        samples(
            "shunt_switch_transitions_total",
            values.transitions.map { labels, count in
                let from = ("from", labels.from.rawValue)
                return ([("switch", labels.key), from, ("to", labels.to.rawValue), ("reason", labels.reason)], count)
            }
        )
        family("shunt_polls_total", "counter", "Answers to polls of the switches.")
        samples("shunt_polls_total", values.polls.map { ([("code", String($0))], $1) })
        family("shunt_polls_parked", "gauge", "Long-polls that wait.")
        sample("shunt_polls_parked", [], gauges.parkedPolls)
        family("shunt_streams", "gauge", "Streams that are open.")
        sample("shunt_streams", [], gauges.streams)
        family("shunt_streams_ended_total", "counter", "Streams that ended, by the reason.")
        samples("shunt_streams_ended_total", values.streamsEnded.map { ([("reason", $0.name)], $1) })
    }

    private mutating func family(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private mutating func samples(_ name: String, _ samples: [(labels: [(String, String)], count: UInt64)]) {
        let ordered = samples.map { (Self.line(name, $0.labels), $0.count) }.sorted { $0.0 < $1.0 }
        for (line, count) in ordered { text += "\(line) \(count)\n" }
    }

    private mutating func sample(_ name: String, _ labels: [(String, String)], _ value: some BinaryInteger) {
        text += "\(Self.line(name, labels)) \(value)\n"
    }

    private mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        family(name, "histogram", help)
        var total: UInt64 = 0
        for (bound, count) in zip(histogram.bounds, histogram.counts) {
            total += count
            text += "\(name)_bucket{le=\"\(bound)\"} \(total)\n"
        }
        text += "\(name)_bucket{le=\"+Inf\"} \(histogram.count)\n"
        text += "\(name)_sum \(histogram.sum)\n\(name)_count \(histogram.count)\n"
    }

    private static func line(_ name: String, _ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return name }
        let pairs = labels.map { "\($0)=\"\(escaped($1))\"" }
        return "\(name){\(pairs.joined(separator: ","))}"
    }

    /// A label's value: backslash, quote and line feed are escaped, other control characters are shown as `?`.
    private static func escaped(_ value: String) -> String {
        var result = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            case _ where scalar.value < 0x20: result += "?"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension HTTPParkedEnd {
    /// As metrics name it.
    fileprivate var name: String {
        switch self {
        case .clientLeft: "clientLeft"
        case .deadline: "deadline"
        case .tooSlow: "tooSlow"
        case .stopping: "stopping"
        }
    }
}
