internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// The durable, ordered log of everything that came in. One writer appends; an append is either durable or undone.
struct Journal: ~Copyable {
    let folder: Folder

    private var today: JournalDay?
    private var yesterday: JournalDay?
    private var recent = RecentIdentities()
    private var nextSeq: UInt64 = 1

    /// The identities of the open group, in order. They join `recent` once they are durable, so that a group that
    /// fails leaves no trace there and pushes nothing out.
    private var added: [EventIdentity] = []
    private var addedIndex: Set<EventIdentity> = []
    private var groupStart: UInt64 = 1

    init(folder: Folder) {
        self.folder = folder
    }

    /// The last entry's number; 0 in an empty journal.
    var lastSeq: UInt64 { nextSeq - 1 }

    /// The day that entries are appended to; nil before the first group.
    private(set) var currentDay: Int64?

    /// Continues after an entry that a replay found last.
    mutating func resume(after seq: UInt64) {
        nextSeq = seq + 1
    }

    /// Remembers an event that a replay found.
    mutating func remember(_ identity: EventIdentity) {
        recent.insert(identity)
    }

    /// Opens a group of entries that are all received at this time.
    mutating func beginGroup(at: Timestamp) throws(DatabaseError) {
        // First of all: a group whose day can't even be opened is abandoned too, and must take nothing of the last
        // one along.
        forgetGroup()
        groupStart = nextSeq
        try turn(to: at.dayNumber)
        try today?.beginGroup()
    }

    /// Makes the group durable.
    mutating func commitGroup() throws(DatabaseError) {
        try today?.commitGroup()
        for identity in added { recent.insert(identity) }
        forgetGroup()
    }

    /// Undoes the group, as if it had never been begun.
    mutating func abandonGroup() {
        today?.abandonGroup()
        forgetGroup()
        nextSeq = groupStart
    }

    /// Appends an event to the open group.
    ///
    /// - Returns: its number, or nil when it is a repeat.
    mutating func append(
        _ prepared: PreparedEvent,
        flags: EntryFlags,
        at: Timestamp
    ) throws(DatabaseError) -> UInt64? {
        if let identity = prepared.identity {
            if recent.contains(identity) || addedIndex.contains(identity) { return nil }
            if try yesterday?.contains(identity, dedupeAt: prepared.dedupeAt) ?? false { return nil }
        }
        guard try today?.append(prepared, flags: flags, seq: nextSeq, at: at) ?? false else { return nil }
        if let identity = prepared.identity {
            added.append(identity)
            addedIndex.insert(identity)
        }
        return takeSeq()
    }

    /// Appends any other input to the open group.
    mutating func append(_ input: Input, at: Timestamp) throws(DatabaseError) -> UInt64 {
        try today?.append(input, seq: nextSeq, at: at)
        return takeSeq()
    }

    /// Lets the write-ahead log start anew. Stalls the writer, so it is for a log that outgrew its bound.
    func restartLog() throws(DatabaseError) {
        try today?.restartLog()
    }

    private mutating func forgetGroup() {
        added.removeAll(keepingCapacity: true)
        addedIndex.removeAll(keepingCapacity: true)
    }

    private mutating func takeSeq() -> UInt64 {
        defer { nextSeq += 1 }
        return nextSeq
    }

    /// Goes to the file of a day; the one before it stays open for its index.
    private mutating func turn(to day: Int64) throws(DatabaseError) {
        if currentDay == day { return }
        let next = try JournalDay(day, in: folder)
        if currentDay == day - 1 {
            yesterday = today.take()
        } else if folder.size(of: JournalDay.fileName(day - 1)) > 0 {
            yesterday = try JournalDay(day - 1, in: folder)
        } else {
            yesterday = nil
        }
        today = consume next
        currentDay = day
    }
}
