internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// What a transition's failures have in common, and some of them by name: read back from the journal after the flip.
///
/// It depends on nothing but the journal and the transition, so whoever reads them again gets the same bytes.
struct EvidenceCapsule: Sendable, Equatable {
    /// How many events are named.
    static let maximumSamples = 20
    /// How many values of an attribute are told.
    static let maximumValues = 3
    /// How many entries are looked at; in a window that holds more, the newest ones.
    static let maximumEntries = 200_000
    /// Longer values are cut, in bytes of UTF-8.
    static let maximumValueBytes = 128

    /// An attribute of the failures, with its most frequent values.
    struct Breakdown: Sendable, Equatable {
        var name: String
        var values: [(value: String, count: Int)]

        static func == (left: Self, right: Self) -> Bool {
            left.name == right.name && left.values.elementsEqual(right.values) { $0 == $1 }
        }
    }

    /// One of the failures.
    struct Sample: Sendable, Equatable {
        var seq: UInt64
        /// The reporter's name of it, if it had one.
        var eventId: String?
    }

    var version: UInt64
    var place: AuditRow.Place
    /// How many of the failures were found.
    var failures = 0
    /// Whether these are all that were counted.
    var isComplete = false
    /// How many entries were looked at.
    var entries = 0
    /// The attributes, those with the most frequent value first.
    var dimensions: [Breakdown] = []
    /// Some of the failures, oldest first; the first and the last are among them.
    var samples: [Sample] = []

    /// The capsule as JSON in one fixed order: what its hash is taken of.
    var line: [UInt8] {
        var writer = JSONWriter(capacity: 2048)
        writer.beginObject()
        writer.field("version", version)
        writer.field("seq", place.seq)
        writer.field("index", place.index)
        writer.field("failures", failures)
        writer.field("isComplete", isComplete)
        writer.field("entries", entries)
        writer.key("dimensions")
        writer.beginArray()
        for dimension in dimensions {
            writer.beginObject()
            writer.field("name", dimension.name)
            writer.key("values")
            writer.beginArray()
            for (value, count) in dimension.values {
                writer.beginObject()
                writer.field("value", value)
                writer.field("count", count)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.key("samples")
        writer.beginArray()
        for sample in samples {
            writer.beginObject()
            writer.field("seq", sample.seq)
            writer.field("eventId", sample.eventId)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// The hash of a capsule: SHA-256 of the 32 bytes of its row's hash, and then the line's bytes. So it belongs to one
    /// row of the audit's chain and to no other.
    static func hash(of line: [UInt8], row: Digest) -> Digest {
        Digest.sha256(row.bytes + line)
    }
}

/// A transition whose failures are to be read back.
struct EvidenceJob: Sendable {
    var epoch: String
    var place: AuditRow.Place
    var transition: SwitchTransition
    var filter: EvidenceFilter
    /// The rules that were in force.
    var ruleSet: RuleSet

    /// The jobs among rows that were just made.
    static func jobs(of rows: [AuditRow], ruleSet: RuleSet) -> [EvidenceJob] {
        rows.compactMap { row in
            guard case .transition(let transition, _) = row.content,
                let filter = EvidenceFilter(transition, rules: ruleSet.rules)
            else { return nil }
            return EvidenceJob(
                epoch: row.epoch,
                place: row.place,
                transition: transition,
                filter: filter,
                ruleSet: ruleSet
            )
        }
    }

    /// Reads the failures back.
    func capsule(from journal: Folder) throws -> EvidenceCapsule {
        let catalogue = ruleSet.catalogue.built()
        var filter = filter
        if filter.wantsToSee {
            _ = try walkBack(journal) { event, entry in
                filter.see(event, meaning: catalogue.classify(event), at: entry.at)
                return true
            }
        }
        var tally = EvidenceTally()
        let (entries, isComplete) = try walkBack(journal) { event, entry in
            let meaning = catalogue.classify(event)
            if filter.take(event, meaning: meaning, at: entry.at) { tally.add(event, seq: entry.seq, meaning: meaning) }
            return !filter.isDone
        }
        var capsule = EvidenceCapsule(version: transition.version, place: place)
        capsule.failures = filter.count
        capsule.isComplete = isComplete && filter.isDone
        capsule.entries = entries
        capsule.dimensions = tally.dimensions
        capsule.samples = tally.samples
        return capsule
    }

    /// Goes back through the events that may have counted, for as long as `body` wants more.
    ///
    /// - Returns: how many entries were looked at, and whether all of them could be.
    private func walkBack(
        _ journal: Folder,
        _ body: (PaymentEvent, Entry) -> Bool
    ) throws -> (entries: Int, isComplete: Bool) {
        var entries = 0
        var isComplete = true
        var reader = JournalReader(folder: journal)
        try reader.forEachBack(from: filter.lastSeq) { result in
            guard entries < EvidenceCapsule.maximumEntries else {
                isComplete = false
                return false
            }
            entries += 1
            guard case .success(let entry) = result else {
                isComplete = false
                return true
            }
            guard entry.at >= filter.since else { return false }
            guard case .event(let event) = entry.input else { return true }
            return body(event, entry)
        }
        return (entries, isComplete)
    }
}

/// Counts what failures have in common. They are given newest first.
struct EvidenceTally {
    /// The attributes that tell failures apart; what is measured has too many values, and amounts are nobody's cause.
    private static let told: [Dimension] = [
        .appVersion, .osVersion, .region, .psp, .network, .stage, .source, .route, .errorDomain, .errorCode,
        .errorSubcode, .errorHTTPStatus, .appBuild, .osName, .deviceModel, .merchantId, .requestHost, .tokenVersion,
        .paymentMethod, .appBundleId, .environment,
    ]

    private var counts = [[String: Int]](repeating: [:], count: Self.told.count)
    private var seen: [EvidenceCapsule.Sample] = []

    mutating func add(_ event: PaymentEvent, seq: UInt64, meaning: Classification) {
        for (place, dimension) in Self.told.enumerated() {
            guard let value = dimension.value(in: event, meaning: meaning) else { continue }
            counts[place][value.cut(toUTF8: EvidenceCapsule.maximumValueBytes), default: 0] += 1
        }
        let id = event.eventId?.cut(toUTF8: EvidenceCapsule.maximumValueBytes)
        seen.append(EvidenceCapsule.Sample(seq: seq, eventId: id))
    }

    /// Those that any failure has, the most telling first.
    var dimensions: [EvidenceCapsule.Breakdown] {
        let all = zip(Self.told, counts).map { dimension, counts in
            let ordered = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            return EvidenceCapsule.Breakdown(
                name: dimension.rawValue,
                values: ordered.prefix(EvidenceCapsule.maximumValues).map { ($0.key, $0.value) }
            )
        }
        let told = all.enumerated().filter { !$0.element.values.isEmpty }
        let ordered = told.sorted { left, right in
            let counts = (left.element.values[0].count, right.element.values[0].count)
            return counts.0 != counts.1 ? counts.0 > counts.1 : left.offset < right.offset
        }
        return ordered.map(\.element)
    }

    /// Some of them, spread evenly, oldest first.
    var samples: [EvidenceCapsule.Sample] {
        let oldestFirst = Array(seen.reversed())
        let wanted = min(oldestFirst.count, EvidenceCapsule.maximumSamples)
        guard wanted > 1 else { return oldestFirst }
        return (0..<wanted).map { oldestFirst[$0 * (oldestFirst.count - 1) / (wanted - 1)] }
    }
}
