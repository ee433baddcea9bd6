internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// `POST /v1/events`.
struct EventsEndpoint: Sendable {
    /// How long a report may wait for its commit; a disk that takes longer is out of order.
    static let patienceNs: Int64 = 10_000_000_000

    let limits: IntakeLimits
    let intake: Intake
    let engine: Engine
    let board: Board
    let metrics: Metrics

    /// Answers a report.
    ///
    /// - Parameter fields: what its answers carry at any rate.
    func post(
        _ request: HTTPRequest,
        from caller: Caller,
        fields: [(name: String, value: String)],
        responder: HTTPResponder
    ) throws(Problem) -> HTTPOutcome {
        let batch = try read(request, trust: caller.trust)
        metrics.rejected(batch.rejectionCounts, unknownFields: batch.unknownFields)
        if batch.events.isEmpty, batch.size > 0 {
            var problem = Problem(422, "allEventsInvalid", "none of the events could be taken; see rejected")
            problem.rejections = batch.rejections
            throw problem
        }
        let rejections = batch.rejections
        let environments = batch.environments
        guard !batch.events.isEmpty else {
            let reply = accepted(WorkResult(), rejections: rejections, environments: environments, fields: fields)
            return .reply(reply)
        }
        var notDurable = Self.notDurable
        notDurable.headers += fields
        let refusal = notDurable.reply
        let receivedAtNs = request.receivedAtNanoseconds
        let submission = Submission(
            work: .events(batch.events),
            receivedAtNs: receivedAtNs,
            responder: responder,
            reply: { result in
                metrics.ingested(inNs: HTTPClock.nowNanoseconds - receivedAtNs)
                switch result {
                case .success(let work):
                    return accepted(work, rejections: rejections, environments: environments, fields: fields)
                case .failure:
                    return refusal
                }
            }
        )
        guard engine.submit(submission) else {
            throw .retryLater(503, "overloaded", "too many events wait to be written; nothing of this was taken")
        }
        return .parked(deadlineNanoseconds: receivedAtNs + Self.patienceNs, timeoutReply: refusal)
    }

    private func read(_ request: HTTPRequest, trust: ReporterTrust) throws(Problem) -> IntakeBatch {
        var body = request.body
        if request.head.header("Content-Encoding")?.lowercased() == "gzip" {
            body = try inflate(body)
        }
        let media = request.head.header("Content-Type").map(MediaType.init)
        let format: BodyFormat = media?.name == "application/x-ndjson" ? .lines : .json
        do throws(IntakeError) {
            return try intake.read(body, format: format, trust: trust, wallMs: SystemClock.wallMilliseconds)
        } catch {
            throw Problem.of(error)
        }
    }

    private func inflate(_ body: [UInt8]) throws(Problem) -> [UInt8] {
        do throws(InflateError) {
            var inflater = Inflater()
            return try inflater.inflate(body, maximumBytes: limits.inflatedBytes)
        } catch {
            switch error {
            case .tooLarge:
                throw Problem(413, "inflatedTooLarge", "expected at most \(limits.inflatedBytes) bytes after gzip")
            default:
                throw Problem(400, "invalidGzip", "the body isn't sound gzip: \(error)")
            }
        }
    }

    private func accepted(
        _ work: WorkResult,
        rejections: [IntakeBatch.Rejection],
        environments: Set<String>,
        fields: [(name: String, value: String)]
    ) -> HTTPReply {
        var version: UInt64 = SwitchBank.firstVersion
        var pollAfterSec = SwitchView.calmPollSec
        for environment in environments {
            let standing = board.standing(of: environment)
            version = max(version, standing.version)
            pollAfterSec = min(pollAfterSec, standing.pollAfterSec)
        }
        var writer = JSONWriter(capacity: 160)
        writer.beginObject()
        writer.field("accepted", work.accepted)
        writer.field("duplicates", work.duplicates)
        writer.key("rejected")
        writer.write(rejections)
        writer.field("late", work.late)
        writer.field("switchVersion", version)
        writer.field("pollAfterSec", pollAfterSec)
        writer.endObject()
        return HTTPReply(status: 202, headers: [("Content-Type", "application/json")] + fields, body: writer.bytes)
    }

    private static let notDurable = Problem.retryLater(
        503,
        "notDurable",
        "the journal couldn't be written in time; send the same events again"
    )
}
