internal import ShuntNative
internal import ShuntSchema

/// What whoever runs the daemon asks: `/healthz`, `/readyz`, `/metrics`, `/openapi.json`.
struct OperationsEndpoint: Sendable {
    let board: Board
    let metrics: Metrics
    let engineHealth: EngineHealth
    let keeper: JournalKeeper
    let rules: RuleSource
    let outbox: Outbox
    let channels: NamedChannels
    /// What the audit tells of and the journal lacked at the start.
    let lost: String?
    let startedAtNs: Int64

    /// The process answers.
    let health = HTTPReply(
        status: 200,
        headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
        body: Array("{\"status\":\"ok\"}".utf8)
    )

    let openAPI = HTTPReply(
        status: 200,
        headers: [("Content-Type", "application/json"), ("Cache-Control", "public, max-age=300")],
        body: OpenAPI.document
    )

    /// 200 when the journal can be written and the writer keeps up, else 503.
    ///
    /// - Parameter isDetailed: Whether the body says why, and how much there is. A balancer needs the status only, and
    ///   the rest isn't for everybody whom it lets through.
    func readiness(isDetailed: Bool) -> HTTPReply {
        let report = engineHealth.report
        let isReady = report.isWritable && report.isKeepingUp
        var writer = JSONWriter(capacity: 400)
        writer.beginObject()
        writer.field("ready", isReady)
        if isDetailed { write(report, to: &writer) }
        writer.endObject()
        return HTTPReply(
            status: isReady ? 200 : 503,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: writer.bytes
        )
    }

    private func write(_ report: EngineHealth.Report, to writer: inout JSONWriter) {
        let values = metrics.snapshot
        writer.key("checks")
        writer.beginObject()
        writer.field("journal", report.isWritable ? "writable" : "the last commit failed")
        writer.field("evaluation", report.isKeepingUp ? "keeping up" : "behind by \(report.groupAgeMs) ms")
        writer.field("rules", Self.text(of: rules.status, path: rules.path))
        // No reason to be unready: an alert of such a rule is told to others.
        writer.field("channels", channels.text)
        // Nor is this: payers depend on the switches, whatever became of their past.
        writer.field("history", lost ?? "whole")
        writer.endObject()
        writer.field("version", Shunt.version)
        writer.field("uptimeSec", (SystemClock.monotonicNanoseconds - startedAtNs) / 1_000_000_000)
        writer.field("lastSeq", values.lastSeq)
        writer.field("journalBytes", keeper.journalBytes)
        writer.field("openAlerts", values.troubles)
        writer.field("eventsSinceStart", values.events.values.reduce(0, +))
    }

    /// How the rules stand; bad files don't make the daemon unready, because the rules in force go on.
    private static func text(of status: RuleSource.Status, path: String) -> String {
        if let problem = status.problems.first {
            let more = status.problems.count > 1 ? " and \(status.problems.count - 1) more" : ""
            return "the last reload failed, the rules before it are in force: \(problem)\(more)"
        }
        guard let files = status.files else { return "not read yet" }
        guard files.hasFolder else { return "there is no folder \(path); built in, or of the last run" }
        return files.rulesOrigin == .files ? "loaded from \(path)" : "built in"
    }

    func metricsPage() -> HTTPReply {
        let text = MetricsText.render(
            metrics.snapshot,
            gauges: MetricsText.Gauges(
                documents: board.documents.map { ($0.environment, $0.document.document) },
                journalBytes: keeper.journalBytes,
                parkedPolls: board.parkedCount,
                streams: board.streamCount,
                areRulesGood: rules.status.isGood,
                outbox: outbox.backlog(),
                version: Shunt.version
            )
        )
        return HTTPReply(
            status: 200,
            headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), ("Cache-Control", "no-store")],
            body: Array(text.utf8)
        )
    }
}
