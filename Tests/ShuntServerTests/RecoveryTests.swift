import ShuntCore
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// A restart believes what the daemon believed before it.
@Suite struct RecoveryTests {
    private let folder: TemporaryFolder
    private let snapshots: SnapshotFile

    init() throws {
        folder = try TemporaryFolder()
        snapshots = SnapshotFile(folder: try folder.folder())
    }

    private func journalFolder() throws -> Folder { try Folder(path: "\(folder.path)/journal") }

    private func recover() throws -> Recovery {
        try Recovery(journalFolder: try journalFolder(), snapshots: snapshots)
    }

    private func clock(_ at: Timestamp = Moment.noon) -> ReceiptClock {
        ReceiptClock(after: at, wallMs: at.milliseconds, monotonicNs: SystemClock.monotonicNanoseconds)
    }

    /// A journal with a bit of everything in it, and what a daemon would believe after it.
    private func write(seed: UInt64, groups: Int, snapshotAfter: Int? = nil) throws -> State {
        var random = SeededGenerator(seed: seed)
        var recovery = try recover()
        var clock = clock()
        try recovery.settle(Self.rules, clock: &clock)
        var state = recovery.state
        var journal = try Journal(continuing: try journalFolder())
        var at = clock.last
        for group in 0..<groups {
            at = at.advanced(byMs: Int64(random.below(3) * random.below(700)))
            try journal.beginGroup(at: at)
            var entries: [Entry] = []
            for _ in 0..<(1 + random.below(20)) {
                let event = PaymentEvent.failure(
                    "\(random.below(4))",
                    id: random.oneIn(5) ? nil : "id-\(random.below(2000))",
                    occurredAt: random.oneIn(3) ? nil : at.advanced(byMs: Int64(-random.below(900))),
                    environment: random.pick(["production", "sandbox"])
                )
                if let seq = try journal.append(PreparedEvent(event), flags: [], at: at) {
                    entries.append(Entry(seq: seq, at: at, input: .event(event)))
                }
            }
            if random.oneIn(4) {
                let input = Input.command(
                    SwitchCommand(
                        action: random.oneIn(3) ? .trip : .restore,
                        key: "apple-pay",
                        scope: Scope(environment: "production"),
                        actor: "on-call",
                        reason: "test"
                    )
                )
                entries.append(Entry(seq: try journal.append(input, at: at), at: at, input: input))
            }
            try journal.commitGroup()
            for entry in entries { _ = state.apply(entry) }
            if group == snapshotAfter { try snapshots.write(state) }
        }
        return state
    }

    static let rules = RuleSet(
        rules: [
            Rule(
                id: "burst",
                description: "burst",
                groupBy: [.errorCode],
                count: .events,
                threshold: 5,
                windowMs: 1000,
                alert: AlertPolicy(severity: .critical, resolveBelow: 3, holdForMs: 500),
                trip: Trip(switchKey: "apple-pay")
            )
        ],
        switches: [SwitchDefinition(key: "apple-pay", normalVariant: "native", degradedVariant: "web")]
    )

    @Test(arguments: [1, 2, 3, 5, 8] as [UInt64])
    func `a full replay equals what was live`(seed: UInt64) throws {
        let live = try write(seed: seed, groups: 60)
        let recovery = try recover()
        #expect(recovery.state == live)
        #expect(recovery.state.digest == live.digest)
        #expect(recovery.folded == Int(live.seq))
        #expect(recovery.unreadable.isEmpty)
        #expect(recovery.journal.lastSeq == live.seq)
    }

    @Test(arguments: [1, 2, 3, 5, 8] as [UInt64])
    func `a snapshot and what follows it equals a full replay`(seed: UInt64) throws {
        let live = try write(seed: seed, groups: 60, snapshotAfter: Int(seed) * 6)
        let recovery = try recover()
        #expect(recovery.state == live)
        #expect(recovery.state.digest == live.digest)
        #expect(recovery.folded < Int(live.seq))
        #expect(recovery.folded > 0)
    }

    @Test func `nothing is written when nothing is new`() throws {
        var first = try recover()
        var clock = clock()
        try first.settle(.builtIn, clock: &clock)
        #expect(first.journal.lastSeq == 2)
        let epoch = first.state.epoch
        #expect(epoch.utf8.count == 8)
        var second = try recover()
        try second.settle(.builtIn, clock: &clock)
        #expect(second.journal.lastSeq == 2)
        #expect(second.state.epoch == epoch)
    }

    @Test func `the journal is founded before it is configured`() throws {
        var recovery = try recover()
        var clock = clock()
        try recovery.settle(.builtIn, clock: &clock)
        var reader = JournalReader(folder: try journalFolder())
        var kinds: [InputKind] = []
        try reader.forEach(after: 0) { if case .success(let entry) = $0 { kinds.append(entry.input.kind) } }
        #expect(kinds == [.founded, .configured])
        #expect(recovery.state.foundedAt == clock.last)
        #expect(clock.last >= Moment.noon)
        #expect(recovery.state.ruleSet == .builtIn)
    }

    @Test func `other rules are put in force once, and the epoch stays`() throws {
        var clock = clock()
        var first = try recover()
        try first.settle(.builtIn, clock: &clock)
        var second = try recover()
        try second.settle(Self.rules, clock: &clock)
        #expect(second.journal.lastSeq == 3)
        #expect(second.state.epoch == first.state.epoch)
        #expect(second.state.ruleSet == Self.rules)
        var third = try recover()
        try third.settle(Self.rules, clock: &clock)
        #expect(third.journal.lastSeq == 3)
        #expect(third.state == second.state)
    }

    @Test func `two journals are of two epochs`() throws {
        var clock = clock()
        var first = try recover()
        try first.settle(.builtIn, clock: &clock)
        let other = try TemporaryFolder()
        var second = try Recovery(
            journalFolder: try other.folder(),
            snapshots: SnapshotFile(folder: try Folder(path: "\(other.path)/data"))
        )
        try second.settle(.builtIn, clock: &clock)
        #expect(first.state.epoch != second.state.epoch)
    }

    @Test func `entries that can't be read are left out and reported, and numbering goes on behind them`() throws {
        _ = try write(seed: 4, groups: 20)
        let database = try Database(path: "\(folder.path)/journal/\(Moment.fileName)", mode: .readWrite)
        let last = try #require(try database.integer("SELECT max(seq) FROM entries"))
        try database.execute("UPDATE entries SET kind = 77 WHERE seq IN (5, \(last))")
        let recovery = try recover()
        #expect(recovery.unreadable.map(\.seq) == [5, UInt64(last)])
        #expect(recovery.folded == Int(last) - 2)
        #expect(recovery.journal.lastSeq == UInt64(last))
    }

    @Test func `the identities of the last events are known again`() throws {
        var clock = clock()
        var first = try recover()
        try first.settle(.builtIn, clock: &clock)
        var journal = try Journal(continuing: try journalFolder())
        _ = try journal.write([.failure(id: "a", occurredAt: Moment.noon)], at: Moment.noon)
        let results = Results()
        var writer = try recover().writer(
            clock: clock,
            board: Board(),
            metrics: Metrics(),
            keeper: JournalKeeper(journalFolder: try journalFolder(), snapshots: snapshots, retentionDays: 30)
        )
        // Another time, so that only the memory knows it.
        writer.process([results.submission([.failure(id: "a"), .failure(id: "b")])])
        #expect(results.all == [.success(WorkResult(accepted: 1, duplicates: 1))])
    }

    @Test func `a journal that ends before its audit begins a new epoch, and the audit takes what comes then`() throws {
        let parts = try WriterParts()
        var writer = try parts.writer()
        func trip(_ series: String, _ writer: inout Writer) {
            writer.process([Results().submission((0..<3).map { .failure(id: "\(series)-\($0)") })])
        }
        trip("a", &writer)
        writer.process([Results().submission(.command(Self.restore))])
        writer.finish()
        let whole = try parts.recover()
        #expect(whole.lost == nil)
        let epoch = whole.state.epoch
        // As if a copy of an hour ago had been put back: its last entry is the second failure.
        try parts.folder.remove("snapshot")
        let names = try Folder(path: "\(parts.folder.path)/journal").names().filter { $0.hasSuffix(".db") }
        let database = try Database(path: "\(parts.folder.path)/journal/\(try #require(names.first))", mode: .readWrite)
        try database.execute("DELETE FROM entries WHERE seq > 4")
        let next = try WriterParts(over: parts)
        let lost = try #require(try next.recover().lost)
        #expect(lost.contains("entry 6 and version 3") && lost.contains("entry 4 and version 1"), "\(lost)")
        var again = try next.writer()
        trip("b", &again)
        again.finish()
        let healed = try WriterParts(over: parts).recover()
        #expect(healed.state.epoch != epoch && healed.lost == nil)
        let records = try parts.auditReader().records(ofVersion: 2)
        #expect(records.count == 2, "version 2 of either journal")
        #expect(try parts.auditReader().verify().isGood)
        #expect(try DecisionReplay(dataPath: parts.folder.path, version: 2).run().isSame)
    }

    private static let restore = SwitchCommand(
        action: .restore,
        key: "apple-pay",
        scope: Scope(environment: "production"),
        actor: "on-call",
        reason: "fixed"
    )

    @Test func `without its beginning and a snapshot a journal begins a new epoch`() throws {
        var clock = clock()
        var first = try recover()
        try first.settle(.builtIn, clock: &clock)
        let epoch = first.state.epoch
        var journal = try Journal(continuing: try journalFolder())
        _ = try journal.write([.failure(id: "a")], at: Moment.nextDay)
        _ = consume journal
        for suffix in ["", "-wal", "-shm"] where folder.exists("journal/\(Moment.fileName)\(suffix)") {
            try folder.remove("journal/\(Moment.fileName)\(suffix)")
        }
        var second = try recover()
        try second.settle(.builtIn, clock: &clock)
        #expect(second.journal.lastSeq == 5)
        #expect(second.state.epoch != epoch)
        #expect(!second.state.epoch.isEmpty)
    }

    // MARK: Snapshots that can't be used

    typealias Damage = @Sendable ([UInt8]) -> [UInt8]

    static let damages: [Row<Damage>] = [
        Row("nothing in it", { _ in [] }),
        Row("cut in its header", { Array($0.prefix(20)) }),
        Row("cut at its body", { Array($0.prefix(17 + 32)) }),
        Row("cut by one byte", { Array($0.dropLast()) }),
        Row("one byte too many", { $0 + [0] }),
        Row("of another kind", { Array("shunt-snapshot-9\n".utf8) + $0.dropFirst(17) }),
        Row("something else altogether", { _ in Array("hello".utf8) }),
        Row(
            "of another format, with a sound checksum",
            { bytes in
                var body = Array(bytes.dropFirst(17 + 32))
                body[0] = 99
                return Array(bytes.prefix(17)) + Digest.sha256(body).bytes + body
            }
        ),
        Row(
            "with a sound checksum over half a state",
            { bytes in
                let body = Array(bytes.dropFirst(17 + 32).dropLast(8))
                return Array(bytes.prefix(17)) + Digest.sha256(body).bytes + body
            }
        ),
    ]

    @Test(arguments: damages)
    func `a damaged snapshot is left aside, kept, and the journal folded instead`(
        row: Row<Damage>
    ) throws {
        let live = try write(seed: 6, groups: 30, snapshotAfter: 10)
        let damaged = row.value(try folder.contents("snapshot"))
        try folder.write(damaged, to: "snapshot")
        let recovery = try recover()
        #expect(recovery.state == live)
        #expect(recovery.folded == Int(live.seq))
        #expect(!folder.exists("snapshot"))
        #expect(try folder.contents("snapshot.unusable") == damaged)
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func `a snapshot with any one bit flipped is left aside`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let live = try write(seed: seed, groups: 30, snapshotAfter: 20)
        let sound = try folder.contents("snapshot")
        for _ in 0..<25 {
            try folder.write(sound, to: "snapshot")
            try folder.flip("snapshot", at: random.below(sound.count), mask: 1 << UInt8(random.below(8)))
            let recovery = try recover()
            try #require(recovery.folded == Int(live.seq))
            try #require(recovery.state == live)
        }
    }

    @Test func `a snapshot is read back as it was written, and a new one takes its place`() throws {
        guard case .none = snapshots.read() else {
            Issue.record("there is no snapshot yet")
            return
        }
        let state = try write(seed: 7, groups: 10)
        try snapshots.write(State())
        try snapshots.write(state)
        guard case .state(let read) = snapshots.read() else {
            Issue.record("the snapshot can't be read")
            return
        }
        #expect(read == state)
        #expect(!folder.exists("snapshot.new"))
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "this machine doesn't let a test mount a small file system"))
    func `a snapshot that finds no room leaves the last one, and no half of itself`() throws {
        let disk = try SmallDisk(kibibytes: 256)
        let file = SnapshotFile(folder: try disk.folder.folder())
        var small = State()
        _ = small.apply(Entry(seq: 1, at: Moment.noon, input: .founded(epoch: "small")))
        try file.write(small)
        try disk.fill()
        let big = try write(seed: 9, groups: 200)
        #expect(throws: FileError.self) { try file.write(big) }
        #expect(!disk.folder.exists("snapshot.new"))
        guard case .state(let read) = file.read() else {
            Issue.record("the snapshot can't be read")
            return
        }
        #expect(read.epoch == "small")
        try disk.free()
        try file.write(big)
    }
}
