/// A diagnosis that fits, with what speaks for it and what isn't known.
public struct DiagnosisMatch: Equatable, Sendable {
    /// The diagnosis.
    public var diagnosis: Diagnosis
    /// The facts that are true.
    public var matched: [DiagnosisFact]
    /// The supporting facts that are false.
    public var unmatched: [DiagnosisFact]
    /// The facts that no report tells.
    public var unknown: [DiagnosisFact]
    /// How specific the signature is that matched; only to be compared.
    public var specificity: Int

    /// The share of all facts that are true, in whole per cent.
    public var score: Int {
        let all = matched.count + unmatched.count + unknown.count
        return all == 0 ? 0 : matched.count * 100 / all
    }

    /// The match of a diagnosis with a subject; nil if it isn't offered.
    ///
    /// No required fact may be false, at least half of them must be true, and so must the most specific of them: that
    /// payments fail in production, say, is no sign of anything by itself.
    public init?(_ diagnosis: Diagnosis, _ subject: TriageSubject) {
        self.diagnosis = diagnosis
        matched = []
        unmatched = []
        unknown = []
        specificity = 0
        for fact in diagnosis.required {
            switch fact.holds(for: subject) {
            case true?:
                matched.append(fact)
                specificity += fact.specificity
            case false?: return nil
            case nil: unknown.append(fact)
            }
        }
        let most = diagnosis.required.map(\.specificity).max() ?? 0
        guard matched.count >= unknown.count, matched.contains(where: { $0.specificity == most }) else { return nil }
        for fact in diagnosis.supporting {
            switch fact.holds(for: subject) {
            case true?: matched.append(fact)
            case false?: unmatched.append(fact)
            case nil: unknown.append(fact)
            }
        }
    }

    /// The diagnoses that fit: the most specific signature first, then the greatest share of true facts, then by name.
    public static func ranked(_ diagnoses: [Diagnosis], for subject: TriageSubject) -> [DiagnosisMatch] {
        diagnoses.compactMap { DiagnosisMatch($0, subject) }.sorted { left, right in
            if left.specificity != right.specificity { return left.specificity > right.specificity }
            if left.score != right.score { return left.score > right.score }
            return left.diagnosis.id < right.diagnosis.id
        }
    }
}

extension DiagnosisFact {
    /// How much a fact singles out: a text or code says more than a stage, and a stage more than an environment.
    var specificity: Int {
        switch self {
        case .text, .underlying: 8
        case .condition(let condition):
            switch condition.dimension {
            case .errorCode, .errorSubcode: 8
            case .errorHTTPStatus, .bodyBytes, .durationMs, .tokenVersion: 4
            case .environment, .failureClass, .outcome, .switchWeight: 1
            default: 2
            }
        case .merchantIdSpelling: 8
        case .context: 4
        case .fineIn, .newInVersion, .share, .pattern: 2
        case .failures: 1
        }
    }
}
