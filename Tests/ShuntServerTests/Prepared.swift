import ShuntCore
import ShuntNative
import ShuntSchema

@testable import ShuntServer

extension PreparedEvent {
    /// The event that its input holds.
    var event: PaymentEvent {
        if case .event(let event) = input { event } else { PaymentEvent() }
    }

    /// An event as intake hands it over.
    init(_ event: PaymentEvent) {
        self.init(
            event,
            body: event.json,
            identity: event.eventId.map(EventIdentity.init(eventId:)),
            dedupeAt: event.occurredAt?.milliseconds ?? 0,
            flags: []
        )
    }
}

extension Journal {
    /// A journal over files that are there, knowing what a restart would know.
    init(continuing folder: Folder) throws {
        self.init(folder: folder)
        var reader = JournalReader(folder: folder)
        var last: UInt64 = 0
        try reader.forEach(after: 0) { if case .success(let entry) = $0 { last = entry.seq } }
        resume(after: last)
        try reader.forEachRecentIdentity(limit: .max) { remember($0) }
    }

    /// Appends one group of events and makes it durable; says which were repeats, by nil.
    mutating func write(_ events: [PaymentEvent], at: Timestamp) throws -> [UInt64?] {
        try beginGroup(at: at)
        var numbers: [UInt64?] = []
        for event in events {
            let prepared = PreparedEvent(event)
            numbers.append(try append(prepared, flags: prepared.flags, at: at))
        }
        try commitGroup()
        return numbers
    }

    /// Appends one other input and makes it durable.
    @discardableResult
    mutating func write(_ input: Input, at: Timestamp) throws -> UInt64 {
        try beginGroup(at: at)
        let number = try append(input, at: at)
        try commitGroup()
        return number
    }
}

/// Everything that a journal's files hold.
func readAll(_ folder: TemporaryFolder, after seq: UInt64 = 0) throws -> [Result<Entry, JournalReader.Unreadable>] {
    var reader = JournalReader(folder: try folder.folder())
    var results: [Result<Entry, JournalReader.Unreadable>] = []
    try reader.forEach(after: seq) { results.append($0) }
    return results
}

/// The numbers that a journal's files hold, readable or not.
func readNumbers(_ folder: TemporaryFolder) throws -> [UInt64] {
    try readAll(folder).map { result in
        switch result {
        case .success(let entry): entry.seq
        case .failure(let error): error.seq
        }
    }
}

/// A moment of 2026-11-30, which has 24 hours of its own around it.
enum Moment {
    static let midnight = Timestamp(milliseconds: 1_795_996_800_000)
    static let noon = midnight.advanced(byMs: 12 * 3_600_000)
    static let lastSecond = midnight.advanced(byMs: 86_399_000)
    static let nextDay = midnight.advanced(byMs: 86_400_000)
    static let fileName = "2026-11-30.db"
    static let nextFileName = "2026-12-01.db"
}
