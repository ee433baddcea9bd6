internal import ShuntCore
internal import ShuntSchema
internal import Synchronization

/// Completes a notice before it is sent: whom it hits, how much money, where, the likely cause and the next step.
///
/// The fold decides without any of it, and the row in the outbox is durable without it; so it is worked out when a
/// channel gets to it, beside the writer. It depends on the journal until the notice's entry alone: a later try says the
/// same.
final class NoticeTriage: Sendable {
    /// How long a notice waits for the book to come up to its entry. An alert without its money is better than none.
    static let patienceMs: Int64 = 1_000
    /// Channels tell the same notice within seconds of each other.
    private static let mostKept = 64

    private let desk: TriageDesk
    private let kept = Mutex<[(id: String, triage: AlertTriage?)]>([])

    init(desk: TriageDesk) {
        self.desk = desk
    }

    /// The notice with what is known besides, in a language.
    func complete(_ notice: Notice, language: NoticeLanguage) -> Notice {
        guard let alert = notice.alert, let triage = triage(of: notice, alert) else { return notice }
        var notice = notice
        let summary = triage.summary
        if notice.failures.payers == nil { notice.failures.payers = summary.payers }
        if notice.failures.amounts.isEmpty { notice.failures.amounts = Self.amounts(summary) }
        notice.location = notice.location ?? triage.conclusions?.location(in: language)
        notice.cause = notice.cause ?? triage.conclusions?.cause(in: language)
        notice.nextStep = notice.nextStep ?? triage.conclusions?.nextStep(in: language)
        if notice.happening == .resolved {
            var closing = notice.closing ?? Notice.ClosingFacts()
            if let whole = triage.whole {
                closing.failed = closing.failed ?? whole.attempts
                if closing.amounts.isEmpty { closing.amounts = Self.amounts(whole) }
            }
            closing.saved = closing.saved ?? triage.saved
            notice.closing = closing
        }
        return notice
    }

    private func triage(of notice: Notice, _ alert: Notice.AlertFacts) -> AlertTriage? {
        if let known = kept.withLock({ $0.first { $0.id == notice.id } }) { return known.triage }
        let parts = notice.id.split(separator: "-")
        let seq = parts.count >= 2 ? UInt64(parts[parts.count - 2]) : nil
        if let seq, !desk.history.wait(through: seq, timeoutMs: Self.patienceMs) {
            Log.warning("notice \(notice.id) is told without what isn't known yet: the book of failures lags behind")
        }
        let hasTripped =
            switch notice.move?.decision {
            case .tripped, .held(.alreadyDegraded): true
            default: false
            }
        let question = AlertQuestion(
            rule: alert.rule,
            group: alert.group,
            startsAt: alert.startsAt,
            endsAt: alert.endsAt,
            at: notice.at,
            seq: seq ?? .max,
            hasTripped: hasTripped
        )
        let triage = desk.triage(question)
        kept.withLock { kept in
            if kept.count >= Self.mostKept { kept.removeFirst() }
            kept.append((notice.id, triage))
        }
        return triage
    }

    private static func amounts(_ summary: FailureSummary) -> [Notice.Amount] {
        summary.orderedAmounts.map { Notice.Amount(minor: $0.minor, currency: $0.currency) }
    }
}
