internal import ShuntSchema

/// Finds, among many lists of conditions, those that an event can meet, without looking at each.
///
/// For each attribute of which some list wants certain values there is, for each of these values, the set of the lists
/// that a bearer of it may meet: those that want it and those that don't ask. The lists that an event may meet are in
/// the sets of all its values.
struct Dispatch: Sendable {
    private struct Attribute: Sendable {
        let dimension: Dimension
        /// The lists that don't ask for it.
        var open: NumberSet
        /// Each value that some list wants, and the lists that its bearer may meet.
        var wanted: [(value: String, lists: NumberSet)] = []
        /// Where a value stands; only where there are many.
        var places: [String: Int] = [:]

        func lists(for value: String?) -> NumberSet {
            guard let value else { return open }
            guard places.isEmpty else { return places[value].map { wanted[$0].lists } ?? open }
            for place in wanted.indices where wanted[place].value == value { return wanted[place].lists }
            return open
        }
    }

    /// Up to so many values are looked through faster than one is hashed.
    private static let fewValues = 4

    private var attributes: [Attribute] = []
    private var all = NumberSet()

    /// With no lists.
    init() {}

    /// - Parameter conditions: the lists, each to be met as a whole.
    init(_ conditions: [[Condition]]) {
        all = NumberSet(conditions.indices)
        for dimension in Dimension.allCases {
            let asking = conditions.indices.filter { Self.values(of: dimension, in: conditions[$0]) != nil }
            guard !asking.isEmpty else { continue }
            let open = NumberSet(Set(conditions.indices).subtracting(asking))
            var attribute = Attribute(dimension: dimension, open: open)
            for number in asking {
                for value in Self.values(of: dimension, in: conditions[number]) ?? [] {
                    let place = attribute.places[value] ?? attribute.wanted.count
                    if place == attribute.wanted.count {
                        attribute.wanted.append((value, open))
                        attribute.places[value] = place
                    }
                    attribute.wanted[place].lists.insert(number)
                }
            }
            if attribute.wanted.count <= Self.fewValues { attribute.places = [:] }
            attributes.append(attribute)
        }
    }

    /// The values of which a list wants one; nil where it doesn't ask so.
    private static func values(of dimension: Dimension, in conditions: [Condition]) -> [String]? {
        for condition in conditions where condition.dimension == dimension {
            if case .oneOf(let values) = condition.test { return values }
        }
        return nil
    }

    /// The numbers of the lists that the event may meet.
    func lists(for event: PaymentEvent, meaning classification: Classification) -> NumberSet {
        var found = all
        for place in attributes.indices {
            let value = attributes[place].dimension.value(in: event, meaning: classification)
            found.formIntersection(attributes[place].lists(for: value))
        }
        return found
    }
}

/// A set of small numbers that is gone through in their order. The first 64 need no memory of their own.
struct NumberSet: Sendable {
    private var first: UInt64 = 0
    private var others: [UInt64] = []

    /// An empty set.
    init() {}

    init(_ numbers: some Sequence<Int>) {
        for number in numbers { insert(number) }
    }

    mutating func insert(_ number: Int) {
        guard number >= 64 else {
            first |= 1 << UInt64(number)
            return
        }
        while others.count < number / 64 { others.append(0) }
        others[number / 64 - 1] |= 1 << UInt64(number % 64)
    }

    mutating func formIntersection(_ other: NumberSet) {
        first &= other.first
        if others.count > other.others.count { others.removeLast(others.count - other.others.count) }
        for place in others.indices { others[place] &= other.others[place] }
    }

    /// Takes out the least; nil when there is none.
    mutating func popFirst() -> Int? {
        if first != 0 {
            defer { first &= first - 1 }
            return first.trailingZeroBitCount
        }
        for place in others.indices where others[place] != 0 {
            defer { others[place] &= others[place] - 1 }
            return 64 * (place + 1) + others[place].trailingZeroBitCount
        }
        return nil
    }
}
