internal import ShuntCore
internal import ShuntSchema

/// What failures have in common, and what they are likely to come from.
struct Conclusions: Sendable {
    /// Where they happen.
    var localisation: Localisation
    /// The diagnoses that fit, the likeliest first.
    var diagnoses: [DiagnosisMatch]

    /// How many diagnoses are told.
    static let maximumDiagnoses = 5

    /// Where it happens, in words; nil where nothing stands out, or nothing is known of what is normal: what is frequent
    /// then may be frequent among all payers.
    func location(in language: NoticeLanguage) -> String? {
        guard localisation.baseline != .none else { return nil }
        return localisation.causes.first.map { CauseText.of(language).sentence($0) }
    }

    /// The likeliest cause in words, with how well it fits.
    func cause(in language: NoticeLanguage) -> String? {
        guard let match = diagnoses.first else { return nil }
        let facts = match.matched.count + match.unmatched.count + match.unknown.count
        let id = match.diagnosis.id
        let fit = language.say(
            "[\(id), matches \(match.matched.count) of \(facts) facts]",
            "[\(id)，\(facts) 项事实中 \(match.matched.count) 项吻合]"
        )
        return "\(match.diagnosis.cause.text(in: language)) \(fit)"
    }

    /// The one thing to do next, in words.
    func nextStep(in language: NoticeLanguage) -> String? {
        diagnoses.first.map { $0.diagnosis.nextStep.text(in: language) }
    }
}

extension CauseText {
    /// Words in a language.
    static func of(_ language: NoticeLanguage) -> CauseText {
        switch language {
        case .english: .english
        case .chinese: .chinese
        }
    }
}

/// What is gathered of the book to conclude from, so that nobody waits for the conclusions.
struct Findings: Sendable {
    /// The failures that are looked at.
    var now: FailureSelection
    /// Those before them.
    var before: FailureSelection
    /// The attributes that all of them have by definition.
    var known: [Dimension]
    /// What error codes mean.
    var catalogue: Catalogue
    /// The attempts within the window.
    var attempts: Int?
    /// The traffic of environments, as far as attempts are remembered.
    var environments: [TriageSubject.Traffic]?
    /// The traffic of versions of the app.
    var appVersions: [TriageSubject.Traffic]?
    /// Failures of each of the last 24 hours; nil where they aren't of one error.
    var hourlyFailures: [Int]?

    /// - Parameters:
    ///   - known: the attributes that all of them have by definition.
    ///   - key: the error that the failures are of; nil where they are of many.
    init(
        _ now: FailureSelection,
        before: FailureSelection,
        known: [Dimension],
        environment: String,
        key: ErrorHistory.Key?,
        since: Timestamp,
        in book: HistoryBook,
        at: Timestamp
    ) {
        self.now = now
        self.before = before
        self.known = known
        catalogue = book.catalogue
        attempts = ErrorPage.attempts(of: environment, in: book, after: since, until: at)
        guard let key else { return }
        hourlyFailures = book.errors.number(of: key).map { number in
            let parts = book.errors.records[number].daySeries(at: at)
            return stride(from: 0, to: parts.count, by: 12).map { parts[$0..<min($0 + 12, parts.count)].reduce(0, +) }
        }
        let recent = at.advanced(byMs: -HistoryKeeper.recentMs)
        let numbers = book.errors.records.indices.filter {
            book.errors.records[$0].key.code == key.code && book.errors.records[$0].key.domain == key.domain
        }
        let same = book.failures.select(after: recent, until: at, errors: numbers)
        let own = book.failures.select(
            after: recent,
            until: at,
            errors: numbers.filter { book.errors.records[$0].key.environment == environment }
        )
        let slices = book.attempts.tallies(after: recent, until: at) { _ in true }
        environments = Self.traffic(
            slices.map { ($0.slice.environment, $0.tally) },
            failures: same.values(of: .environment)
        )
        appVersions = Self.traffic(
            slices.filter { $0.slice.environment == environment }.compactMap { slice, tally in
                slice.appVersion.map { ($0, tally) }
            },
            failures: own.values(of: .appVersion)
        )
    }

    /// Nil where only failures are reported: nothing is known of those that went well.
    private static func traffic(
        _ tallies: [(name: String, tally: AttemptTally)],
        failures: [(value: String, count: Int)]
    ) -> [TriageSubject.Traffic]? {
        var all: [String: AttemptTally] = [:]
        for (name, tally) in tallies { all[name] = (all[name] ?? AttemptTally()) + tally }
        guard all.values.contains(where: { $0.attempts > $0.failed }) else { return nil }
        let failed = Dictionary(failures.map { ($0.value, $0.count) }) { first, _ in first }
        return all.sorted { $0.key < $1.key }.map { name, tally in
            TriageSubject.Traffic(name, attempts: tally.attempts, failures: min(failed[name] ?? 0, tally.attempts))
        }
    }
}

extension TriageDesk {
    /// How many failures diagnoses look at; attributes of all are counted, texts are in the journal.
    static let sampledFailures = 200

    /// Concludes from what was found.
    func conclude(_ findings: Findings) -> Conclusions {
        let subject = TriageSubject(
            failures: sample(findings),
            failureCount: findings.now.count,
            attempts: findings.attempts,
            environments: findings.environments,
            appVersions: findings.appVersions,
            hourlyFailures: findings.hourlyFailures
        )
        return Conclusions(
            localisation: Localiser.localise(findings.now.table(before: findings.before, leavingOut: findings.known)),
            diagnoses: Array(book.matches(subject).prefix(Conclusions.maximumDiagnoses))
        )
    }

    private func sample(_ findings: Findings) -> [TriageSubject.Failure] {
        do {
            var reader = JournalReader(folder: journalFolder)
            return try reader.entries(seqs: findings.now.newest(Self.sampledFailures)).compactMap { result in
                guard case .success(let entry) = result, case .event(let event) = entry.input else { return nil }
                return TriageSubject.Failure(event: event, classification: findings.catalogue.classify(event))
            }
        } catch {
            Log.warning("failures can't be read back for a diagnosis: \(error)")
            return []
        }
    }
}
