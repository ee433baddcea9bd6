internal import ShuntSchema

extension MoneyInput {
    /// What an event that means this tells of its attempt's money; nil where it tells of no single attempt.
    init?(_ event: PaymentEvent, meaning classification: Classification) {
        guard event.counts == nil else { return nil }
        // Anybody can take an app apart and report what they like: only a back end's word settles.
        if event.trust == .trusted, let settled = Self.settled(event.context) {
            self = settled
            return
        }
        switch event.outcome {
        case .attempted: self = .attempted
        case .succeeded: self = Self.success(event)
        case .failed, .cancelled: self = Self.failure(event, classification)
        }
    }

    /// The key in an event's `context` by which a back end says how an attempt ended.
    static let contextKey = "settled"

    private static func settled(_ context: [ContextEntry]) -> MoneyInput? {
        for entry in context where entry.key == contextKey {
            guard case .string(let word) = entry.value else { return nil }
            switch Settlement(rawValue: word) {
            case .paid: return .paid
            case .notPaid: return .unpaid
            case .reversed: return .reversed
            case .refunded: return .refunded
            case nil: return nil
            }
        }
        return nil
    }

    private static func success(_ event: PaymentEvent) -> MoneyInput {
        switch event.stage {
        case .precheck, .present, .merchantValidation, .authorize, .tokenSubmit, .tokenDecrypt, .threeDS:
            return .proceeded
        case .void: return .reversed
        case .refund: return .refunded
        case .capture, .verifyReceipt: return .paid
        case .charge, .complete, .unknown: return event.isOfUnionPay ? .accepted : .paid
        case .asyncResult: return event.unionPayAnswer ?? .paid
        }
    }

    private static func failure(_ event: PaymentEvent, _ classification: Classification) -> MoneyInput {
        let isProven = classification.money == .notMoved && classification.failureClass != .inDoubt
        if event.stage == .asyncResult, let answer = event.unionPayAnswer {
            guard answer == .unclear, event.error?.code == UnionPay.worked else { return answer }
            // The query worked, and the payment's own code tells.
            if isProven { return .unpaid }
            guard classification.money == .moved else { return .unclear }
            return classification.failureClass == .notFailure ? .paid : .charged
        }
        if classification.failureClass == .notFailure {
            // Some providers call what went well by a code too.
            switch classification.money {
            case .moved: return success(event)
            case .mayHaveMoved, .stage: return .accepted
            case .notMoved: return .proceeded
            }
        }
        switch event.stage {
        case .void, .refund: return isProven ? .proceeded : .undoUnclear
        case .capture: return isProven ? .refused : .undoUnclear
        default: break
        }
        if event.stage == .asyncResult, isProven, event.error?.domain == UnionPay.originalCode { return .unpaid }
        if isProven { return .refused }
        return classification.money == .moved ? .charged : .unclear
    }
}

/// What UnionPay's answers are called in events. Source: `respCode` and `origRespCode` of `queryTrans.do`.
private enum UnionPay {
    static let name = "unionpay"
    /// Whether the request itself worked.
    static let code = "unionpay.respCode"
    /// How the payment ended that was asked for; means nothing unless `code` is 00.
    static let originalCode = "unionpay.origRespCode"
    static let worked = "00"
    /// A query finds no such payment: the charge never arrived.
    static let neverArrived = "34"
}

extension PaymentEvent {
    /// Whether it came from UnionPay, whose synchronous success means accepted.
    fileprivate var isOfUnionPay: Bool {
        if let psp, psp.lowercased() == UnionPay.name { return true }
        return error?.domain.hasPrefix(UnionPay.name) ?? false
    }

    /// What a query's own code says; nil where the event carries none.
    fileprivate var unionPayAnswer: MoneyInput? {
        guard let error, error.domain == UnionPay.code else { return nil }
        switch error.code {
        case UnionPay.worked:
            guard let original = error.underlying.last(where: { $0.domain == UnionPay.originalCode }) else {
                // The query worked, and nobody says what it found.
                return .proceeded
            }
            return original.code == UnionPay.worked ? .paid : .unclear
        case UnionPay.neverArrived: return .unpaid
        default: return .unclear
        }
    }
}

extension Stage {
    /// Whether the payment token had gone out by then, so that money may move whatever happens on the device.
    var isAfterToken: Bool {
        switch self {
        case .tokenSubmit, .tokenDecrypt, .charge, .asyncResult, .complete: true
        // Before it, after the payment, or nobody says; a step-up may come before the charge is asked for.
        case .precheck, .present, .merchantValidation, .authorize, .threeDS, .verifyReceipt, .capture, .void, .refund,
            .unknown:
            false
        }
    }

    /// Whether a success then is one of the payment itself, not of something that was done about it later.
    var isOfCharge: Bool {
        switch self {
        case .capture, .void, .refund: false
        default: true
        }
    }
}
