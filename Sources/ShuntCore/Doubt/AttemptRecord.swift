internal import ShuntSchema

/// What is known of one attempt: numbers only, so that a quarter of a million fit into a few dozen MB.
struct AttemptRecord: Sendable {
    /// The attempt's name, hashed; its order's where no event named the attempt.
    var key: UInt64
    /// Its order, hashed; 0 without one.
    var order: UInt64
    /// The number of its environment's book.
    var book: Int
    /// When its first and its last event came.
    var firstAt: Timestamp
    var lastAt: Timestamp
    /// Since when it is waited for, or in doubt.
    var since: Timestamp
    var phase = MoneyPhase.open
    /// Why it stands there.
    var reason = MoneyReason.begun
    /// The stage of the event that led to its phase.
    var stage = Stage.unknown
    var findings = FindingSet()
    /// Whether an event named the attempt.
    var isNamed: Bool
    /// Whether its token has gone out.
    var isTokenSent = false
    /// Whether its last refusal was one that mustn't be routed round.
    var isRisk = false
    /// Whether it is waited for: for its end, or for a notification.
    var isAwaited = false
    /// Whether it is listed among those in doubt.
    var isListed = false
    /// The first amount that was reported.
    var amount: SmallAmount?
    var seqs = EventNumbers()
    /// Who reported its success, and which payment of the provider's it was; 0 where that isn't known.
    var reporter: UInt64 = 0
    var reference: UInt64 = 0

    /// The order's attempt before this one; -1 for none.
    var before: Int32 = -1
    /// Where its texts are; -1 once it has ended.
    var words: Int32 = -1
}

/// An amount in 12 bytes.
struct SmallAmount: Equatable, Sendable {
    var minor: Int64
    /// Three letters, a byte each.
    var currency: UInt32

    /// Nil for a currency that isn't three capital letters.
    init?(_ amount: Amount) {
        var packed: UInt32 = 0
        let bytes = amount.currency.utf8
        guard bytes.count == 3 else { return nil }
        for byte in bytes {
            guard (65...90).contains(byte) else { return nil }
            packed = packed << 8 | UInt32(byte)
        }
        minor = amount.minor
        currency = packed
    }

    init?(minor: Int64, currency: UInt32) {
        self.minor = minor
        self.currency = currency
        guard let read = SmallAmount(amount), read == self else { return nil }
    }

    var amount: Amount { Amount(minor: minor, currency: Self.text(currency)) }

    static func text(_ currency: UInt32) -> String {
        var text = ""
        for shift in [16, 8, 0] as [UInt32] {
            text.unicodeScalars.append(Unicode.Scalar(UInt8(truncatingIfNeeded: currency >> shift)))
        }
        return text
    }
}

/// The numbers of an attempt's events in the journal: the first four and the last four.
struct EventNumbers: Equatable, Sendable {
    static let capacity = 8

    private(set) var numbers = InlineArray<8, UInt64>(repeating: 0)
    /// How many there were.
    private(set) var count = 0

    static func == (left: EventNumbers, right: EventNumbers) -> Bool {
        left.count == right.count && left.list == right.list
    }

    /// The numbers that are kept, in order.
    var list: [UInt64] { (0..<min(count, Self.capacity)).map { numbers[$0] } }

    mutating func append(_ seq: UInt64) {
        if count < Self.capacity {
            numbers[count] = seq
        } else {
            // How it began and how it stands is what a person asks for.
            for place in 4..<7 { numbers[place] = numbers[place + 1] }
            numbers[7] = seq
        }
        count += 1
    }

    init() {}

    /// Nil unless the numbers grow and are as many as of so many events are kept.
    init?(_ list: [UInt64], count: Int) {
        guard count >= 1, list.count == min(count, Self.capacity), zip(list, list.dropFirst()).allSatisfy(<) else {
            return nil
        }
        for (place, number) in list.enumerated() { numbers[place] = number }
        self.count = count
    }
}

/// The texts of an attempt that runs or is in doubt.
struct AttemptWords: Equatable, Sendable {
    var attempt: String?
    var order: String?
    var domain = ""
    var code = ""
}

/// Neighbours in a list; -1 for none.
struct Links: Equatable, Sendable {
    var older: Int32 = -1
    var newer: Int32 = -1
}

/// The ends of a list that runs through places; the links of each place stand in an array beside the records.
struct LinkedList: Equatable, Sendable {
    private(set) var oldest: Int32 = -1
    private(set) var newest: Int32 = -1
    private(set) var count = 0

    mutating func append(_ place: Int, _ links: inout [Links]) {
        links[place] = Links(older: newest, newer: -1)
        if newest >= 0 { links[Int(newest)].newer = Int32(place) } else { oldest = Int32(place) }
        newest = Int32(place)
        count += 1
    }

    mutating func remove(_ place: Int, _ links: inout [Links]) {
        let own = links[place]
        if own.older >= 0 { links[Int(own.older)].newer = own.newer } else { oldest = own.newer }
        if own.newer >= 0 { links[Int(own.newer)].older = own.older } else { newest = own.older }
        links[place] = Links()
        count -= 1
    }

    /// The places, oldest first.
    func places(_ links: [Links]) -> [Int] {
        var places: [Int] = []
        places.reserveCapacity(count)
        var next = oldest
        while next >= 0 {
            places.append(Int(next))
            next = links[Int(next)].newer
        }
        return places
    }
}

/// What is in doubt in one environment.
struct DoubtBook: Sendable {
    var environment: String
    /// Those in doubt, by the time since when they are.
    var listed = LinkedList()
    /// How many in doubt found no room in the list.
    var unlisted = 0
    /// The money in doubt, by currency; only those with any.
    var totals: [DoubtTotal] = []
    /// Whether it has changed since rules looked at it. Derived: false between entries.
    var isChanged = false

    mutating func add(_ amount: SmallAmount?, sign: Int128) {
        guard let amount else { return }
        let change = sign * Int128(amount.minor)
        if let place = totals.firstIndex(where: { $0.currency == amount.currency }) {
            totals[place].minor += change
            totals[place].count += Int(sign)
            if totals[place].count == 0 { totals.remove(at: place) }
        } else if sign > 0 {
            let place = totals.firstIndex { $0.currency > amount.currency } ?? totals.endIndex
            totals.insert(DoubtTotal(currency: amount.currency, minor: change, count: 1), at: place)
        }
    }
}

/// The money of one currency in doubt.
struct DoubtTotal: Equatable, Sendable {
    var currency: UInt32
    var minor: Int128
    var count: Int
}
