internal import ShuntSchema

extension DiagnosisFact {
    /// The share of the failures that must agree, of those that tell, in per cent.
    private static let leastPercent = 50
    /// So many attempts of an older version must have gone well before its silence means something.
    private static let leastTraffic = 20
    /// So many hours show a pattern.
    private static let leastHours = 6

    /// Whether it is true; nil where nothing tells.
    func holds(for subject: TriageSubject) -> Bool? {
        switch self {
        case .condition(let condition): most(subject) { condition.isTrue(of: $0) }
        case .text(let texts): most(subject) { $0.event.contains(texts) }
        case .underlying(let domain, let codes):
            most(subject) { failure in
                failure.event.error?.isWithin(domain: domain, codes: codes)
            }
        case .context(let key, let values):
            most(subject) { failure in
                failure.event.context.first { $0.key == key }?.value.words.map { found in
                    values.contains { $0.lowercased() == found.lowercased() }
                }
            }
        case .failures(let least): subject.failureCount >= least
        case .share(let range): share(of: subject).map { range.contains($0) }
        case .fineIn(let name): isFine(in: name, subject)
        case .newInVersion: isNewInVersion(subject)
        case .pattern(let pattern): lies(subject, pattern)
        case .merchantIdSpelling: isSpelledTwoWays(subject)
        }
    }

    private func most(_ subject: TriageSubject, _ test: (TriageSubject.Failure) -> Bool?) -> Bool? {
        let told = subject.failures.compactMap(test)
        guard !told.isEmpty else { return nil }
        return told.count { $0 } * 100 >= told.count * Self.leastPercent
    }

    private func share(of subject: TriageSubject) -> Int64? {
        guard let attempts = subject.attempts, attempts > 0 else { return nil }
        return Int64(Double(subject.failureCount) * 100 / Double(max(attempts, subject.failureCount)))
    }

    private func isFine(in name: String, _ subject: TriageSubject) -> Bool? {
        guard let environments = subject.environments else { return nil }
        let others = environments.filter { $0.name != name }
        guard let fine = environments.first(where: { $0.name == name }) else { return nil }
        if fine.failures > 0 { return false }
        guard fine.attempts > 0 else { return nil }
        return others.contains { $0.failures > 0 }
    }

    private func isNewInVersion(_ subject: TriageSubject) -> Bool? {
        let versions = (subject.appVersions ?? []).compactMap { traffic in
            Version(traffic.name).map { ($0, traffic) }
        }.sorted { $0.0 < $1.0 }
        guard let first = versions.firstIndex(where: { $0.1.failures > 0 }) else { return nil }
        let attempts = versions[..<first].reduce(0) { $0 + $1.1.attempts }
        if attempts >= Self.leastTraffic { return true }
        return first == 0 && versions.count > 1 ? false : nil
    }

    private func lies(_ subject: TriageSubject, _ pattern: Pattern) -> Bool? {
        guard let hours = subject.hourlyFailures, hours.count >= Self.leastHours, let last = hours.last else {
            return nil
        }
        switch pattern {
        case .steady:
            let mean = Double(hours.reduce(0, +)) / Double(hours.count)
            return hours.allSatisfy { $0 > 0 && Double($0) <= 3 * mean }
        case .burst:
            let mean = Double(hours.dropLast().reduce(0, +)) / Double(hours.count - 1)
            return last >= 5 && Double(last) >= 5 * mean
        }
    }

    private func isSpelledTwoWays(_ subject: TriageSubject) -> Bool? {
        let names = Set(subject.merchantIds ?? subject.failures.compactMap(\.event.merchantId))
        guard !names.isEmpty else { return nil }
        var spellings: Set<String> = []
        for name in names {
            // A dot at the end is a slip even where nothing else shows how it should be.
            if name.hasSuffix(".") || !spellings.insert(name.lowercased()).inserted { return true }
        }
        return names.count > 1 ? false : nil
    }
}

extension Condition {
    /// Whether a failure passes; nil where it doesn't tell.
    fileprivate func isTrue(of failure: TriageSubject.Failure) -> Bool? {
        let value = dimension.value(in: failure.event, meaning: failure.classification)
        guard let value else { return nil }
        // A reporter that names no stage or domain has said nothing; a class that isn't known is an answer.
        if value == "unknown", dimension != .failureClass { return nil }
        return holds(for: failure.event, meaning: failure.classification)
    }
}

extension PaymentEvent {
    fileprivate func contains(_ texts: [String]) -> Bool? {
        guard let error else { return nil }
        let lines = [error.message, error.code, error.subcode].compactMap { $0?.lowercased() }
        if texts.contains(where: { text in lines.contains { $0.contains(text.lowercased()) } }) { return true }
        return error.message == nil ? nil : false
    }
}

extension ErrorReport {
    fileprivate func isWithin(domain: String, codes: [String]) -> Bool? {
        guard !underlying.isEmpty else { return nil }
        return underlying.contains { $0.domain == domain && (codes.isEmpty || codes.contains($0.code)) }
    }
}

extension Scalar {
    fileprivate var words: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .bool(let isTrue): "\(isTrue)"
        case .null: nil
        }
    }
}
