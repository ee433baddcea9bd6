internal import ShuntSchema

/// The lists of attributes that rules and tables of attempts tell slices apart by, each list once, and for the event at
/// hand a hash of its values for each list, found when first asked for.
///
/// Many rules group by the same attributes, and would each look at them anew.
struct Groupings: Sendable {
    private enum Known {
        case notAsked
        /// The event lacks an attribute of the list.
        case missing
        case hash(UInt64)
    }

    private var lists: [[Dimension]] = []
    private var known: [Known] = []

    /// The number of a list, added if it isn't there yet.
    mutating func number(of list: [Dimension]) -> Int {
        if let number = lists.firstIndex(of: list) { return number }
        lists.append(list)
        known.append(.notAsked)
        return lists.count - 1
    }

    /// Forgets what is known of the last event.
    mutating func turn() {
        for number in known.indices { known[number] = .notAsked }
    }

    /// A hash of the event's values for a list of attributes; nil if it lacks one of them.
    mutating func hash(_ number: Int, of event: PaymentEvent, meaning classification: Classification) -> UInt64? {
        switch known[number] {
        case .hash(let hash): return hash
        case .missing: return nil
        case .notAsked: break
        }
        var hash = SliceHash()
        for place in lists[number].indices {
            guard let value = lists[number][place].value(in: event, meaning: classification) else {
                known[number] = .missing
                return nil
            }
            hash.combine(value)
        }
        known[number] = .hash(hash.value)
        return hash.value
    }

    /// The event's values for a list of attributes, in its order; empty for those that it lacks.
    func values(_ number: Int, of event: PaymentEvent, meaning classification: Classification) -> [String] {
        lists[number].map { $0.value(in: event, meaning: classification) ?? "" }
    }

    /// Whether these are the event's values for a list of attributes.
    func are(
        _ values: [String],
        _ number: Int,
        of event: PaymentEvent,
        meaning classification: Classification
    ) -> Bool {
        for place in values.indices {
            guard lists[number][place].value(in: event, meaning: classification) == values[place] else { return false }
        }
        return true
    }
}

/// What tells an event apart from others, found once for all rules.
struct EventIdentities {
    /// Its attempt; nil when it equals no other.
    let attempt: UInt64?
    /// Its install; nil where it names none.
    let install: UInt64?

    init(of event: PaymentEvent, at: Timestamp) {
        attempt = event.countingKey(for: .attempts, at: at)
        install = event.countingKey(for: .installs, at: at)
    }

    /// What a distinct count tells it apart by; nil when it equals no other.
    func key(for counting: Counting) -> UInt64? {
        switch counting {
        case .events: nil
        case .attempts: attempt
        case .installs: install
        }
    }

    /// Whom it stands for where distinct installs are required: its install, else its attempt.
    var owner: UInt64? { install ?? attempt }
}
