internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// Puts together what is known of an error: counts, money, where it happens, samples.
struct TriageDesk: Sendable {
    /// How many error keys of one code are told of.
    static let maximumKeys = 20
    /// How many events are shown.
    static let samples = 5
    /// What the present is compared with: so long before it, in milliseconds.
    static let baselineMs: Int64 = 3_600_000
    /// How many values of an attribute are told.
    static let maximumValues = 8
    /// The attributes that tell failures apart, in the order in which people read them.
    static let told: [Dimension] = [
        .stage, .errorHTTPStatus, .errorSubcode, .appVersion, .appBuild, .osName, .osVersion, .deviceModel, .network,
        .psp, .paymentMethod, .route, .region, .merchantId, .requestHost, .tokenVersion, .source,
    ]

    let history: HistoryKeeper
    let journalFolder: Folder
    let book: TriageBook

    /// What is known of a code; nil for one that no event had.
    func page(_ question: ErrorQuestion, _ facts: ErrorFacts) -> ErrorPage? {
        let (pages, at) = history.read { book in
            let at = max(facts.at, book.at)
            return (numbers(question, in: book).map { keyPage($0, question, in: book, at: at) }, at)
        }
        guard !pages.isEmpty else { return nil }
        var page = ErrorPage(code: question.code, at: at, keys: pages)
        for number in page.keys.indices { complete(&page.keys[number], facts) }
        return page
    }

    /// The error keys that are meant: those of production first, then the most frequent.
    private func numbers(_ question: ErrorQuestion, in book: HistoryBook) -> [Int] {
        let meant = book.errors.records.indices.filter { number in
            let key = book.errors.records[number].key
            return key.code == question.code && question.domain.map { $0 == key.domain } ?? true
                && question.environment.map { $0 == key.environment } ?? true
        }
        let ordered = meant.sorted { left, right in
            let (left, right) = (book.errors.records[left], book.errors.records[right])
            let ranks = (rank(left), rank(right))
            if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
            return left.total != right.total ? left.total > right.total : left.key < right.key
        }
        return Array(ordered.prefix(Self.maximumKeys))
    }

    private func rank(_ record: ErrorHistory.Record) -> Int {
        record.key.environment == PaymentEvent.defaultEnvironment ? 0 : 1
    }

    private func keyPage(
        _ number: Int,
        _ question: ErrorQuestion,
        in book: HistoryBook,
        at: Timestamp
    ) -> ErrorPage.Key {
        let record = book.errors.records[number]
        let since = at.advanced(byMs: -question.windowMs)
        let now = book.failures.select(after: since, until: at, errors: [number])
        let former = since.advanced(byMs: -Self.baselineMs)
        let before = book.failures.select(after: former, until: since, errors: [number])
        let summary = now.summary
        let attempts = ErrorPage.attempts(of: record.key.environment, in: book, after: since, until: at)
        var page = ErrorPage.Key(record: record, summary: summary)
        page.windowMs = question.windowMs
        page.countedSince = max(since, book.failures.completeSince)
        page.lastWindow = book.failures.completeSince <= since ? now.count : record.lastHour(at: at)
        page.lastHour = record.lastHour(at: at)
        page.lastDay = record.lastDay(at: at)
        page.series = record.minuteSeries(at: at)
        page.sharePercent = attempts.map { ErrorList.percent(summary.attempts, of: $0) }
        page.breakdown = Self.told.compactMap { ErrorPage.Breakdown($0, now: now, before: before) }
        page.sampleSeqs = now.newest(Self.samples)
        page.findings = Findings(
            now,
            before: before,
            known: [.environment, .errorDomain, .errorCode],
            environment: record.key.environment,
            key: record.key,
            since: since,
            in: book,
            at: at
        )
        page.environments = book.errors.records.filter {
            $0.key.code == record.key.code && $0.key.domain == record.key.domain
        }.map { ($0.key.environment, $0.lastDay(at: at), $0.total) }
        return page
    }

    private func complete(_ key: inout ErrorPage.Key, _ facts: ErrorFacts) {
        let record = key.record
        key.alerts = facts.alerts.filter {
            $0.environment == record.key.environment && $0.domain.map { $0 == record.key.domain } ?? true
        }
        let switchKeys = key.alerts.compactMap(\.switchKey)
        key.switches = facts.switches.filter {
            $0.scope.environment == record.key.environment && switchKeys.contains($0.key)
        }
        key.conclusions = key.findings.map { conclude($0) }
        key.samples = samples(of: key)
        var event = key.samples.first?.event ?? PaymentEvent()
        if event.error == nil {
            event.error = ErrorReport(domain: record.key.domain, code: record.key.code)
            event.stage = record.stage
        }
        key.meaning = facts.catalogue.classify(event)
        if let meaning = key.meaning, let error = event.error {
            key.explanation = facts.catalogue.explain(meaning, of: error)
        }
    }

    /// The newest events; one that failed long ago is found by the index.
    private func samples(of key: ErrorPage.Key) -> [ErrorPage.Sample] {
        do {
            var seqs = key.sampleSeqs
            if seqs.count < Self.samples {
                seqs += try history.find(.code(key.record.key.code), before: seqs.last ?? .max, limit: 50)
            }
            var reader = JournalReader(folder: journalFolder)
            let samples = try reader.entries(seqs: seqs).compactMap { result -> ErrorPage.Sample? in
                guard case .success(let entry) = result, case .event(let event) = entry.input,
                    event.environment == key.record.key.environment, event.error?.domain == key.record.key.domain,
                    event.error?.code == key.record.key.code
                else { return nil }
                return ErrorPage.Sample(seq: entry.seq, at: entry.at, event: event)
            }
            return Array(samples.reversed().prefix(Self.samples))
        } catch {
            Log.warning("the samples of \(key.record.key.code) can't be read: \(error)")
            return []
        }
    }
}
