internal import ShuntSchema

extension SwitchDefinition: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(key)
        writer.write(normalVariant)
        writer.write(degradedVariant)
        writer.write(mode)
        writer.write(recovery)
        writer.write(flapLock) { writer, lock in
            writer.write(lock.trips)
            writer.write(lock.withinMs)
        }
        writer.write(blastRadiusPercent)
        writer.write(minimumDwellMs)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(
            key: try reader.readString(),
            normalVariant: try reader.readString(),
            degradedVariant: try reader.readString(),
            mode: try reader.readCase(),
            recovery: try reader.read(),
            flapLock: try reader.readOptional { (reader) throws(StateBytesError) in
                FlapLock(trips: try reader.readInt(), withinMs: try reader.readInt64())
            },
            blastRadiusPercent: try reader.readInt(),
            minimumDwellMs: try reader.readInt64()
        )
        guard (1...100).contains(blastRadiusPercent), (0...RecoveryPolicy.longestMs).contains(minimumDwellMs),
            (1...FlapLock.maximumTrips).contains(flapLock?.trips ?? 1),
            (1...RecoveryPolicy.longestMs).contains(flapLock?.withinMs ?? 1)
        else { throw .malformed }
    }
}

extension FlapLock {
    /// The most that `trips` may be.
    public static let maximumTrips = 1_000
}

extension RecoveryPolicy: StateCodable {
    /// The longest that any of its times may be, in milliseconds: ten years.
    public static let longestMs: Int64 = 3650 * 86_400_000
    /// The most steps that a ramp may have: a whole per cent each.
    public static let maximumSteps = 100
    /// The most that any of its counts may be.
    public static let maximumCount = 1_000

    func encode(to writer: inout StateWriter) {
        writer.write(mode)
        for milliseconds in [coolDownMs, coolDownMaxMs, probeDeadlineMs, rampStepMs, levelDecayMs] {
            writer.write(milliseconds)
        }
        for count in [probeAttempts, probeFailures, probeInstalls, askAfter, probePercent, goodBelowPercent] {
            writer.write(count)
        }
        writer.write(rampPercents) { $0.write($1) }
        writer.write(onUnknown)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(mode: try reader.readCase())
        coolDownMs = try reader.readInt64()
        coolDownMaxMs = try reader.readInt64()
        probeDeadlineMs = try reader.readInt64()
        rampStepMs = try reader.readInt64()
        levelDecayMs = try reader.readInt64()
        probeAttempts = try reader.readInt()
        probeFailures = try reader.readInt()
        probeInstalls = try reader.readInt()
        askAfter = try reader.readInt()
        probePercent = try reader.readInt()
        goodBelowPercent = try reader.readInt()
        rampPercents = try reader.readArray { (reader) throws(StateBytesError) in try reader.readInt() }
        onUnknown = try reader.readCase()
        guard isValid else { throw .malformed }
    }

    /// Whether every figure is one that rule files may set.
    private var isValid: Bool {
        [coolDownMs, coolDownMaxMs, probeDeadlineMs, rampStepMs, levelDecayMs].allSatisfy {
            (1000...Self.longestMs).contains($0)
        }
            && coolDownMs <= coolDownMaxMs
            && [probeAttempts, probeFailures, probeInstalls, askAfter].allSatisfy {
                (1...Self.maximumCount).contains($0)
            }
            && (rampPercents + [probePercent, goodBelowPercent]).allSatisfy { (1...100).contains($0) }
            && (1...Self.maximumSteps).contains(rampPercents.count)
            && zip(rampPercents, rampPercents.dropFirst()).allSatisfy { $0 < $1 }
    }
}
