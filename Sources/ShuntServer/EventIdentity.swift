internal import ShuntNative

/// What an event is recognised by when it is sent again: 128 bits of its `eventId`.
///
/// A UUID in its canonical form is its own 128 bits; anything else is the front of its SHA-256.
struct EventIdentity: Hashable, Sendable {
    var high: UInt64
    var low: UInt64

    init(eventId: String) {
        if let uuid = Self.uuid(eventId) {
            self = uuid
            return
        }
        let digest = Digest.sha256(Array(eventId.utf8)).bytes
        high = Self.word(digest[0..<8])
        low = Self.word(digest[8..<16])
    }

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads 8-4-4-4-12 lower-case digits; upper case is another text, so it isn't folded together with this one.
    private static func uuid(_ text: String) -> EventIdentity? {
        guard text.utf8.count == 36 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        var position = 0
        for byte in text.utf8 {
            defer { position += 1 }
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            default: return nil
            }
            if position < 18 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
        }
        return EventIdentity(high: high, low: low)
    }
}

/// The identities of the most recent events, exact and bounded; the journal's index stands behind it.
struct RecentIdentities {
    /// How many are remembered: 24 bytes each, and only as they come.
    static let defaultCapacity = 1 << 18

    private let capacity: Int
    private var known: Set<EventIdentity> = []
    private var ring: [EventIdentity] = []
    private var next = 0

    init(capacity: Int = Self.defaultCapacity) {
        self.capacity = capacity
    }

    var count: Int { known.count }

    func contains(_ identity: EventIdentity) -> Bool {
        known.contains(identity)
    }

    /// Remembers one that isn't known yet, and forgets the oldest when there are too many.
    mutating func insert(_ identity: EventIdentity) {
        guard known.insert(identity).inserted else { return }
        if ring.count < capacity {
            ring.append(identity)
        } else {
            known.remove(ring[next])
            ring[next] = identity
        }
        next = (next + 1) % capacity
    }
}
