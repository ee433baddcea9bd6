internal import ShuntCore
internal import ShuntSchema

/// An event that is parsed, checked and redacted: ready for the journal.
struct PreparedEvent: Sendable {
    /// The event as an entry takes it: a reference, so that handing it on copies no thirty texts.
    let input: Input
    /// The event's environment.
    let environment: String
    /// When it happened, by its reporter.
    let occurredAt: Timestamp?
    /// JSON as the journal keeps it: it reads back as this event.
    var body: [UInt8]
    /// By what it is recognised when it comes again; nil when the reporter named none.
    var identity: EventIdentity?
    /// The time that leads the journal's dedupe index: what the reporter sent, which a retry repeats; 0 for none.
    var dedupeAt: Int64
    /// What was noted about it on the way in.
    var flags: EntryFlags

    init(_ event: PaymentEvent, body: [UInt8], identity: EventIdentity?, dedupeAt: Int64, flags: EntryFlags) {
        input = .event(event)
        environment = event.environment
        occurredAt = event.occurredAt
        self.body = body
        self.identity = identity
        self.dedupeAt = dedupeAt
        // Here, so that no door can forget it: the body doesn't say it.
        self.flags = event.trust == .public ? flags.union(.publicReporter) : flags
    }
}

/// What the journal notes about an entry.
struct EntryFlags: OptionSet, Sendable {
    let rawValue: Int64

    /// It had happened longer ago than every window when it came.
    static let late = EntryFlags(rawValue: 1)
    /// Its reporter's clock was wrong by more than 10 minutes, and `occurredAt` was corrected by `sentAt`.
    static let clockCorrected = EntryFlags(rawValue: 2)
    /// Something that must not be stored was taken out of it.
    static let redacted = EntryFlags(rawValue: 4)
    /// It came with a token that anybody can have.
    static let publicReporter = EntryFlags(rawValue: 8)

    /// How far the entry's event can be believed.
    var trust: ReporterTrust { contains(.publicReporter) ? .public : .trusted }
}
