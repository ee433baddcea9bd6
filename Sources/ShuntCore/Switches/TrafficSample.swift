internal import ShuntSchema

/// Which switch in which environment a sample is of.
struct TrafficKey: Hashable, Comparable, Sendable {
    var key: String
    var environment: String

    static func < (left: Self, right: Self) -> Bool {
        (left.key, left.environment) < (right.key, right.environment)
    }
}

/// The slices that the latest attempts of an environment were in: enough to tell which share of payers a trip moves.
struct TrafficSample: Equatable, Sendable {
    /// How many attempts are kept.
    static let capacity = 500
    /// How many there must be for a share to mean something.
    static let minimum = 20
    /// How many environments of one switch are sampled.
    static let maximumEnvironments = 16

    /// What is kept of an attempt.
    struct Attempt: Equatable, Sendable {
        var key: UInt64
        var attributes: [ScopeAttribute]
    }

    private(set) var attempts: [Attempt] = []
    /// The keys of those. Derived.
    private var keys: Set<UInt64> = []
    private var next = 0

    /// Notes an attempt; one that is kept already counts once.
    mutating func record(_ attempt: Attempt) {
        guard keys.insert(attempt.key).inserted else { return }
        if attempts.count < Self.capacity {
            attempts.append(attempt)
        } else {
            keys.remove(attempts[next].key)
            attempts[next] = attempt
        }
        next = (next + 1) % Self.capacity
    }

    /// The share of attempts in any of the slices, in per cent, rounded up; nil where too few are known.
    func percent(in slices: [[ScopeAttribute]]) -> Int? {
        guard attempts.count >= Self.minimum else { return nil }
        let inside = attempts.count { attempt in
            slices.contains { $0.allSatisfy(attempt.attributes.contains) }
        }
        return (inside * 100 + attempts.count - 1) / attempts.count
    }
}

extension TrafficSample: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(next)
        writer.write(attempts) { writer, attempt in
            writer.write(attempt.key)
            writer.write(attempt.attributes) { $0.write($1) }
        }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        next = try reader.readInt()
        attempts = try reader.readArray { (reader) throws(StateBytesError) in
            Attempt(
                key: try reader.readUInt64(),
                attributes: try reader.readArray { (reader) throws(StateBytesError) in try reader.read() }
            )
        }
        keys = Set(attempts.map(\.key))
        guard (0..<Self.capacity).contains(next), attempts.count <= Self.capacity, keys.count == attempts.count,
            attempts.count == Self.capacity || next == attempts.count
        else { throw .malformed }
    }
}

extension SwitchBank {
    /// Whether a trip of one more slice keeps the payers on the degraded route within the switch's limit, judged after
    /// the trip. A whole environment is all of its payers; of a slice the latest attempts tell, and while they are too
    /// few nothing is held back.
    func isWithinBlastRadius(_ definition: SwitchDefinition, adding scope: Scope) -> Bool {
        guard definition.blastRadiusPercent < 100 else { return true }
        guard !scope.attributes.isEmpty else { return false }
        return (movedPercent(definition, adding: scope) ?? 0) <= definition.blastRadiusPercent
    }

    /// The share of payers, in per cent, that is on the degraded route once a slice of them is too; nil where too few
    /// are known.
    func movedPercent(_ definition: SwitchDefinition, adding scope: Scope) -> Int? {
        let sample = traffic[TrafficKey(key: definition.key, environment: scope.environment)]
        let moved = machines.filter {
            $0.key == definition.key && $0.scope.environment == scope.environment && $0.phase != .normal
        }
        return sample?.percent(in: moved.map(\.scope.attributes) + [scope.attributes])
    }

    /// Notes an attempt for the limit of a switch.
    mutating func sample(_ attempt: TrafficSample.Attempt, of key: String, environment: String) {
        let place = TrafficKey(key: key, environment: environment)
        let isFull = traffic[place] == nil && traffic.count { $0.key.key == key } >= TrafficSample.maximumEnvironments
        guard !isFull || environment == PaymentEvent.defaultEnvironment else { return }
        traffic[place, default: TrafficSample()].record(attempt)
    }
}
