internal import ShuntCore
internal import ShuntSchema

/// What events are found by: a name of theirs as a number.
///
/// 63 bits of a stable hash, so that it is never negative in SQLite. Two names that fall together are told apart when
/// the event is read.
struct EventTerm: Hashable, Comparable, Sendable {
    var number: Int64

    private enum Kind: UInt64 {
        case code = 1
        case attempt, order, eventId
    }

    private init(_ kind: Kind, _ text: String) {
        var hash = StableHash()
        hash.combine(kind.rawValue)
        hash.combine(text)
        number = Int64(hash.value >> 1)
    }

    static func code(_ code: String) -> EventTerm { EventTerm(.code, code) }
    static func attempt(_ id: String) -> EventTerm { EventTerm(.attempt, id) }
    static func order(_ reference: String) -> EventTerm { EventTerm(.order, reference) }
    static func eventId(_ id: String) -> EventTerm { EventTerm(.eventId, id) }

    static func < (left: EventTerm, right: EventTerm) -> Bool { left.number < right.number }

    /// All that an event is found by.
    static func terms(of event: PaymentEvent) -> [EventTerm] {
        var terms: [EventTerm] = []
        if let code = event.error?.code { terms.append(.code(code)) }
        if let id = event.attemptId { terms.append(.attempt(id)) }
        if let reference = event.orderRef { terms.append(.order(reference)) }
        if let id = event.eventId { terms.append(.eventId(id)) }
        return terms
    }
}

/// One term of one entry.
struct EventPosting: Comparable, Sendable {
    var term: EventTerm
    var seq: UInt64

    static func < (left: EventPosting, right: EventPosting) -> Bool {
        (left.term, left.seq) < (right.term, right.seq)
    }
}
