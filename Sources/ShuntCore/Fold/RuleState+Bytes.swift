internal import ShuntSchema

extension RuleState {
    func encodeCounts(to writer: inout StateWriter) {
        writer.write(startedAt.milliseconds)
        writer.write(nextSweep.milliseconds)
        writer.write(orderedPositions) { writer, position in
            let group = groups[position]
            writer.write(group.values) { $0.write($1) }
            writer.write(group.window)
            if let installs = group.installs { writer.write(installs) }
            writer.write(group.trusted) { writer, trusted in writer.write(trusted) }
            writer.write(group.hasFired)
            writer.write(group.alert) { $0.write($1) }
            writer.write(group.lastEnd) { writer, end in
                writer.write(end.at.milliseconds)
                writer.write(end.refires)
            }
            if keepsRates { rates[position].encodeCounts(to: &writer) }
        }
    }

    init(rule: Rule, from reader: inout StateReader) throws(StateBytesError) {
        self.init(rule: rule, startedAt: Timestamp(milliseconds: try reader.readInt64()))
        nextSweep = Timestamp(milliseconds: try reader.readInt64())
        let empty = emptyGroup([])
        let keepsRates = self.keepsRates
        let groups = try reader.readArray { (reader) throws(StateBytesError) in
            var group = empty
            group.values = try reader.readArray { (reader) throws(StateBytesError) in try reader.readString() }
            guard group.values.count == rule.groupDimensions.count else { throw .malformed }
            try group.window.restore(from: &reader)
            if var installs = group.installs {
                try installs.restore(from: &reader)
                group.installs = installs
            }
            group.trusted = try reader.readOptional { (reader) throws(StateBytesError) in
                var trusted = empty.window
                try trusted.restore(from: &reader)
                return trusted
            }
            group.hasFired = try reader.readBool()
            group.alert = try reader.readOptional { (reader) throws(StateBytesError) in try reader.read(Alert.self) }
            group.lastEnd = try reader.readOptional { (reader) throws(StateBytesError) in
                AlertEnd(at: try reader.readTime(), refires: try reader.readInt())
            }
            guard (0...Alert.maximumRefires).contains(group.lastEnd?.refires ?? 0) else { throw .malformed }
            return (group, keepsRates ? try RateCounts(rule: rule, from: &reader) : nil)
        }
        guard zip(groups, groups.dropFirst()).allSatisfy({ $0.0.values.lexicographicallyPrecedes($1.0.values) }) else {
            throw .malformed
        }
        for (group, counts) in groups { insert(group, counts) }
    }
}

extension RateCounts {
    func encodeCounts(to writer: inout StateWriter) {
        writer.write(failures)
        writer.write(ring) { $0.write($1) }
        writer.write(baseline) { writer, baseline in writer.write(baseline) }
        writer.write(clearedAt.milliseconds)
        writer.write(isHolding)
        writer.write(lookedAt.milliseconds)
        writer.write(nextLook) { $0.write($1.milliseconds) }
    }

    init(rule: Rule, from reader: inout StateReader) throws(StateBytesError) {
        self.init(rule: rule)
        try failures.restore(from: &reader)
        let empty = ring
        ring = try reader.readOptional { (reader) throws(StateBytesError) in
            guard let empty else { throw .malformed }
            return try BucketRing(like: empty, from: &reader)
        }
        baseline = try reader.readOptional { (reader) throws(StateBytesError) in try HourlyBaseline(from: &reader) }
        clearedAt = Timestamp(milliseconds: try reader.readInt64())
        isHolding = try reader.readBool()
        lookedAt = Timestamp(milliseconds: try reader.readInt64())
        nextLook = try reader.readOptional { (reader) throws(StateBytesError) in
            Timestamp(milliseconds: try reader.readInt64())
        }
        guard (ring != nil) == (empty != nil) else { throw .malformed }
        if case .unusualRate = rule.kind, baseline == nil { throw .malformed }
    }
}

extension TrafficTable {
    func encodeCounts(to writer: inout StateWriter) {
        writer.write(nextSweep.milliseconds)
        writer.write(orderedSlices) { writer, slice in
            writer.write(slice.values) { $0.write($1) }
            slice.group.encodeCounts(to: &writer)
        }
    }

    init(spec: TrafficSpec, from reader: inout StateReader) throws(StateBytesError) {
        let nextSweep = Timestamp(milliseconds: try reader.readInt64())
        let slices = try reader.readArray { (reader) throws(StateBytesError) in
            Slice(
                values: try reader.readArray { (reader) throws(StateBytesError) in try reader.readString() },
                group: try TrafficGroup(spec: spec, from: &reader)
            )
        }
        guard slices.allSatisfy({ $0.values.count == spec.dimensions.count }) else { throw .malformed }
        guard zip(slices, slices.dropFirst()).allSatisfy({ $0.values.lexicographicallyPrecedes($1.values) }) else {
            throw .malformed
        }
        self.init(spec: spec, slices: slices, nextSweep: nextSweep)
    }
}

extension TrafficGroup {
    func encodeCounts(to writer: inout StateWriter) {
        writer.write(attempts.named)
        writer.write(attempts.counters) { writer, counter in
            writer.write(counter.at.milliseconds)
            writer.write(counter.count)
        }
        if let failures { writer.write(failures) }
        if let long { writer.write(long) }
        writer.write(reportedAt) { $0.write($1.milliseconds) }
        writer.write(succeededAt) { $0.write($1.milliseconds) }
    }

    init(spec: TrafficSpec, from reader: inout StateReader) throws(StateBytesError) {
        self.init(spec: spec)
        var named = attempts.named
        try named.restore(from: &reader)
        let counters = try reader.readArray { (reader) throws(StateBytesError) in
            AttemptWindow.Counter(
                at: Timestamp(milliseconds: try reader.readInt64()),
                count: try reader.readInt()
            )
        }
        guard counters.allSatisfy({ $0.count >= 0 }) else { throw .malformed }
        attempts = AttemptWindow(named: named, counters: counters)
        if var window = failures {
            try window.restore(from: &reader)
            failures = window
        }
        if let empty = long { long = try BucketRing(like: empty, from: &reader) }
        reportedAt = try reader.readOptional { (reader) throws(StateBytesError) in
            Timestamp(milliseconds: try reader.readInt64())
        }
        succeededAt = try reader.readOptional { (reader) throws(StateBytesError) in
            Timestamp(milliseconds: try reader.readInt64())
        }
    }
}

// MARK: - Windows

extension StateWriter {
    /// What a window holds; its size and length are the rule's.
    mutating func write(_ window: RecencyWindow) {
        write(window.contents) { writer, item in
            writer.write(item.key) { $0.write($1) }
            writer.write(item.owner) { $0.write($1) }
            writer.write(item.at.milliseconds)
        }
        write(window.droppedAt.milliseconds)
    }

    mutating func write(_ window: DistinctWindow) {
        write(window.contents) { writer, item in
            writer.write(item.key) { $0.write($1) }
            writer.write(item.at.milliseconds)
        }
        write(window.droppedAt.milliseconds)
    }

    mutating func write(_ ring: BucketRing) {
        write(ring.newest)
        // Most parts are empty.
        write(ring.counts.indices.filter { ring.counts[$0] != 0 }) { writer, place in
            writer.write(place)
            writer.write(UInt64(ring.counts[place]))
        }
    }

    mutating func write(_ baseline: HourlyBaseline) {
        write(baseline.current)
        write(baseline.counted)
        write(baseline.hours.indices.filter { baseline.hours[$0] != HourlyBaseline.Hour() }) { writer, place in
            let hour = baseline.hours[place]
            writer.write(place)
            for value in [hour.weight, hour.sum, hour.squares] { writer.write(value.bitPattern) }
        }
    }
}

extension RecencyWindow {
    /// Takes in what an equal window has written.
    mutating func restore(from reader: inout StateReader) throws(StateBytesError) {
        let contents = try reader.readArray { (reader) throws(StateBytesError) in
            (
                try reader.readOptional { (reader) throws(StateBytesError) in try reader.readUInt64() },
                try reader.readOptional { (reader) throws(StateBytesError) in try reader.readUInt64() },
                Timestamp(milliseconds: try reader.readInt64())
            )
        }
        for (key, owner, at) in contents { record(key: key, owner: owner, at: at) }
        droppedAt = Timestamp(milliseconds: try reader.readInt64())
    }
}

extension DistinctWindow {
    /// Takes in what an equal window has written.
    mutating func restore(from reader: inout StateReader) throws(StateBytesError) {
        let contents = try reader.readArray { (reader) throws(StateBytesError) in
            (
                try reader.readOptional { (reader) throws(StateBytesError) in try reader.readUInt64() },
                Timestamp(milliseconds: try reader.readInt64())
            )
        }
        for (key, at) in contents { record(key: key, at: at) }
        droppedAt = Timestamp(milliseconds: try reader.readInt64())
    }
}

extension BucketRing {
    /// A ring of the same form as an empty one.
    init(like empty: BucketRing, from reader: inout StateReader) throws(StateBytesError) {
        let newest = try reader.readInt64()
        var counts = empty.counts
        _ = try reader.readArray { (reader) throws(StateBytesError) in
            let place = try reader.readInt()
            guard counts.indices.contains(place), let count = UInt32(exactly: try reader.readUInt64()) else {
                throw .malformed
            }
            counts[place] = count
        }
        guard let ring = BucketRing(counts: counts, partMs: empty.partMs, newest: newest) else { throw .malformed }
        self = ring
    }
}

extension HourlyBaseline {
    init(from reader: inout StateReader) throws(StateBytesError) {
        let current = try reader.readInt64()
        let counted = try reader.readInt()
        var hours = [Hour](repeating: Hour(), count: 24)
        _ = try reader.readArray { (reader) throws(StateBytesError) in
            let place = try reader.readInt()
            guard hours.indices.contains(place) else { throw .malformed }
            hours[place] = Hour(
                weight: Double(bitPattern: try reader.readUInt64()),
                sum: Double(bitPattern: try reader.readUInt64()),
                squares: Double(bitPattern: try reader.readUInt64())
            )
        }
        guard counted >= -1, counted <= Int(UInt32.max),
            (-Int64.max / Self.hourMs...Int64.max / Self.hourMs).contains(current),
            hours.allSatisfy({ $0.weight.isFinite && $0.sum.isFinite && $0.squares.isFinite })
        else { throw .malformed }
        self.init(hours: hours, current: current, counted: counted)
    }
}
