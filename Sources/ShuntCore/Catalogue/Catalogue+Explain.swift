public import ShuntSchema

/// A classification in words.
public struct Explanation: Hashable, Sendable {
    /// The row that decided or was refined; nil where no system knows the error.
    public var row: CatalogueMatch?
    /// The outermost error, where an inner one decided.
    public var wrapper: ErrorKey?
    /// The signature that fitted, whether it decided or not.
    public var signature: Signature?
    /// One sentence that says why.
    public var sentence: String
}

extension Catalogue {
    /// Puts a classification by this very catalogue into words, for `explain` and alerts.
    public func explain(_ classification: Classification, of error: ErrorReport) -> Explanation {
        let row = classification.row.map { matches[Int($0)] }
        let signature = classification.signature.map { signatures.signatures[Int($0)] }
        var explanation = Explanation(
            row: row,
            wrapper: nil,
            signature: signature,
            sentence: Self.sentence(classification, row, signature)
        )
        if case .underlying = classification.decider {
            explanation.wrapper = ErrorKey(domain: error.domain, code: error.code)
            explanation.sentence += "; inside \(error.domain) \(error.code)"
        }
        if let overridden = row?.overrides {
            explanation.sentence +=
                "; overrides the shipped row (\(overridden.name), \(overridden.failureClass.rawValue))"
        }
        return explanation
    }

    private static func sentence(
        _ classification: Classification,
        _ row: CatalogueMatch?,
        _ signature: Signature?
    ) -> String {
        let subject = row.map { "\($0.key.domain) \($0.key.code) (\($0.entry.name))" } ?? "the error"
        return switch classification.reason {
        case .notAFailure: "nothing failed"
        case .shippedRow: "\(subject) is known"
        case .merchantRow: "\(subject) is a code of the merchant's own"
        case .httpStatus: "the code says nothing; \(subject) came along"
        case .transportCode: "the code names a time-out or a lost connection"
        case .signature: "the text fits \(signature?.id ?? "a signature")"
        case .inDoubtByStage: "\(subject) at this stage leaves open whether money moved"
        case .harmlessByStage: "\(subject) at this stage moves no money"
        case .cancelBeforeToken: "cancelled before anything was sent"
        case .cancelAfterToken: "cancelled while the charge may have been running"
        case .quickCancel: "closed faster than a payer can cancel"
        case .unknownCode: "no system knows the code"
        case .finding: "several reports of one order say so together"
        case .unknownCodeAfterCharge: "no system knows the code, and the charge had been asked for"
        }
    }
}
