internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// The outbox on disk: for each notice a row for each channel that is to be told, with all that became of it.
struct OutboxFile: ~Copyable {
    static let name = "outbox.db"

    let database: Database
    private let begin: Statement
    private let commit: Statement
    private let insert: Statement
    private let supersede: Statement
    private let hush: Statement
    private let mark: Statement
    private let setMark: Statement

    /// Opens the file; makes it when it isn't there.
    ///
    /// - Parameter busyTimeoutMs: how long to wait for others that write to it.
    init(path: String, busyTimeoutMs: Int32) throws(DatabaseError) {
        let database = try Database(path: path, mode: .readWrite, busyTimeoutMs: busyTimeoutMs)
        try database.execute("PRAGMA journal_mode = WAL")
        // FULL: that something was sent must outlive the power, or it would be sent twice.
        try database.execute("PRAGMA synchronous = FULL")
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS deliveries (
                number INTEGER PRIMARY KEY,
                epoch TEXT NOT NULL,
                seq INTEGER NOT NULL,
                place INTEGER NOT NULL,
                channel TEXT NOT NULL,
                subject TEXT NOT NULL,
                alert TEXT,
                urgency INTEGER NOT NULL,
                notice BLOB NOT NULL,
                made_at INTEGER NOT NULL,
                state TEXT NOT NULL,
                tries INTEGER NOT NULL DEFAULT 0,
                first_at INTEGER,
                next_at INTEGER NOT NULL,
                ended_at INTEGER,
                answer TEXT NOT NULL DEFAULT '',
                instead_of TEXT,
                UNIQUE (epoch, seq, place, channel)
            );
            CREATE INDEX IF NOT EXISTS deliveries_open ON deliveries (channel, subject)
                WHERE state IN ('waiting', 'sending', 'repeating');
            CREATE INDEX IF NOT EXISTS deliveries_alert ON deliveries (alert, number) WHERE alert IS NOT NULL;
            CREATE TABLE IF NOT EXISTS marks (epoch TEXT PRIMARY KEY, seq INTEGER NOT NULL, place INTEGER NOT NULL);
            """
        )
        let begin = try database.prepare("BEGIN IMMEDIATE")
        let commit = try database.prepare("COMMIT")
        let insert = try database.prepare(
            "INSERT OR IGNORE INTO deliveries (epoch, seq, place, channel, subject, alert, urgency, notice, made_at, "
                + "state, next_at, instead_of) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'waiting', ?10, ?11)"
        )
        let supersede = try database.prepare(
            "UPDATE deliveries SET state = CASE state WHEN 'repeating' THEN 'delivered' ELSE 'superseded' END, "
                + "ended_at = ifnull(ended_at, ?1) "
                + "WHERE subject = ?2 AND channel = ?3 AND state IN ('waiting', 'repeating')"
        )
        let hush = try database.prepare(
            "UPDATE deliveries SET state = 'superseded', ended_at = ?1 "
                + "WHERE subject = ?2 AND channel = ?3 AND state = 'waiting' AND ended_at IS NULL"
        )
        let mark = try database.prepare("SELECT seq, place FROM marks WHERE epoch = ?1")
        let setMark = try database.prepare("INSERT OR REPLACE INTO marks (epoch, seq, place) VALUES (?1, ?2, ?3)")
        self.begin = begin
        self.commit = commit
        self.insert = insert
        self.supersede = supersede
        self.hush = hush
        self.mark = mark
        self.setMark = setMark
        self.database = database
    }

    // MARK: What is to be told

    /// Adds what is to be told, all or nothing, durably. What was added before is passed over: a replay brings it again.
    /// What is newer takes the place of what still waits to be told of the same alert through the same channel.
    func append(_ items: [OutboxItem], nowMs: Int64) throws(DatabaseError) {
        try change { () throws(DatabaseError) in
            var known: (epoch: String, place: OutboxItem.Place?)?
            for item in items {
                if known?.epoch != item.epoch { known = (item.epoch, try place(of: item.epoch)) }
                if let place = known?.place, item.place <= place { continue }
                try add(item, nowMs: nowMs)
                known = (item.epoch, item.place)
                try setMark.bind(1, item.epoch)
                try setMark.bind(2, Int64(bitPattern: item.place.seq))
                try setMark.bind(3, Int64(item.place.index))
                try setMark.run()
            }
        }
    }

    private func add(_ item: OutboxItem, nowMs: Int64) throws(DatabaseError) {
        for channel in item.channels {
            // Where nothing newer is told, what was delivered goes on being repeated: Alertmanager would take silence for
            // the alert's end.
            if item.notice == nil {
                try Self.run(hush, item, channel, nowMs: nowMs)
            } else {
                try Self.run(supersede, item, channel, nowMs: nowMs)
            }
        }
        guard let notice = item.notice else { return }
        for channel in item.channels {
            let row = NewDelivery(
                epoch: item.epoch,
                place: item.place,
                channel: channel,
                subject: item.subject,
                notice: notice
            )
            try add(row, nowMs: nowMs)
        }
    }

    private static func run(
        _ statement: borrowing Statement,
        _ item: OutboxItem,
        _ channel: String,
        nowMs: Int64
    ) throws(DatabaseError) {
        try statement.bind(1, nowMs)
        try statement.bind(2, item.subject)
        try statement.bind(3, channel)
        try statement.run()
    }

    private func add(_ row: NewDelivery, nowMs: Int64) throws(DatabaseError) {
        try insert.bind(1, row.epoch)
        try insert.bind(2, Int64(bitPattern: row.place.seq))
        try insert.bind(3, Int64(row.place.index))
        try insert.bind(4, row.channel)
        try insert.bind(5, row.subject)
        if let alert = row.notice.alert { try insert.bind(6, alert.id) } else { try insert.bindNull(6) }
        try insert.bind(7, row.notice.urgency)
        try insert.bind(8, row.notice.json())
        try insert.bind(9, row.notice.at.milliseconds)
        try insert.bind(10, nowMs)
        if let other = row.insteadOf { try insert.bind(11, other) } else { try insert.bindNull(11) }
        try insert.run()
    }

    /// The last place of a journal whose effects are in here.
    private func place(of epoch: String) throws(DatabaseError) -> OutboxItem.Place? {
        try mark.bind(1, epoch)
        guard try mark.step() else { return nil }
        let place = OutboxItem.Place(seq: UInt64(bitPattern: mark.integer(0)), index: Int(mark.integer(1)))
        mark.reset()
        return place
    }

    /// Whether effects of this journal were ever taken in.
    func knows(epoch: String) throws(DatabaseError) -> Bool { try place(of: epoch) != nil }

    private func change(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
        do throws(DatabaseError) {
            try begin.run()
            try body()
            try commit.run()
        } catch {
            // If even this fails, the connection is gone and the next call says so.
            if database.isInTransaction { try? database.execute("ROLLBACK") }
            throw error
        }
    }

    // MARK: What becomes of it

    /// A delivery whose time has come.
    struct Job {
        var number: Int64
        var epoch: String
        var place: OutboxItem.Place
        var subject: String
        var notice: Notice
        /// How often it was tried before.
        var tries: Int
        /// When it was first tried, by the wall clock.
        var firstAtMs: Int64?
        /// When the receiver took it last, by the wall clock; nil until it did. It is told again because it forgets.
        var deliveredAtMs: Int64?

        var isRepeat: Bool { deliveredAtMs != nil }
    }

    /// The most urgent delivery of a channel whose time has come, the oldest of several; nil when there is none.
    ///
    /// - Parameter horizonMs: what seems due later than so far ahead is due: the wall clock was put back.
    func due(channel: String, nowMs: Int64, horizonMs: Int64) throws(DatabaseError) -> Job? {
        let rows = try database.prepare(
            "SELECT number, epoch, seq, place, subject, notice, tries, first_at, ended_at FROM deliveries "
                + "WHERE channel = ?1 AND state IN ('waiting', 'repeating') AND (next_at <= ?2 OR next_at > ?3) "
                + "ORDER BY urgency DESC, number LIMIT 1"
        )
        try rows.bind(1, channel)
        try rows.bind(2, nowMs)
        try rows.bind(3, nowMs + horizonMs)
        guard try rows.step() else { return nil }
        let number = rows.integer(0)
        guard let notice = Notice(json: rows.bytes(5)) else {
            try end(number, state: "refused", answer: "the row can't be read", nowMs: nowMs)
            return nil
        }
        return Job(
            number: number,
            epoch: rows.text(1),
            place: OutboxItem.Place(seq: UInt64(bitPattern: rows.integer(2)), index: Int(rows.integer(3))),
            subject: rows.text(4),
            notice: notice,
            tries: Int(rows.integer(6)),
            firstAtMs: rows.isNull(7) ? nil : rows.integer(7),
            deliveredAtMs: rows.isNull(8) ? nil : rows.integer(8)
        )
    }

    /// When the next delivery of a channel is due, by the wall clock; nil when nothing waits.
    func nextDueMs(channel: String) throws(DatabaseError) -> Int64? {
        let rows = try database.prepare(
            "SELECT min(next_at) FROM deliveries WHERE channel = ?1 AND state IN ('waiting', 'repeating')"
        )
        try rows.bind(1, channel)
        guard try rows.step(), !rows.isNull(0) else { return nil }
        return rows.integer(0)
    }

    /// Notes that a delivery is being tried, before anything of it is on the wire.
    ///
    /// - Returns: whether it still waits: something newer may have taken its place.
    func beginSending(_ job: Job, nowMs: Int64) throws(DatabaseError) -> Bool {
        let update = try database.prepare(
            "UPDATE deliveries SET state = 'sending', tries = tries + 1, first_at = ifnull(first_at, ?1) "
                + "WHERE number = ?2 AND state IN ('waiting', 'repeating')"
        )
        try update.bind(1, nowMs)
        try update.bind(2, job.number)
        try update.run()
        return database.changes == 1
    }

    /// Notes how a delivery ended.
    func end(_ number: Int64, state: String, answer: String, nowMs: Int64) throws(DatabaseError) {
        let update = try database.prepare(
            "UPDATE deliveries SET state = ?1, answer = ?2, ended_at = ?3 WHERE number = ?4"
        )
        try update.bind(1, state)
        try update.bind(2, answer)
        try update.bind(3, nowMs)
        try update.bind(4, number)
        try update.run()
    }

    /// Notes when a delivery is to be tried or repeated, unless something newer of its subject came in the meantime.
    func putOff(
        _ job: Job,
        channel: String,
        untilMs: Int64,
        answer: String,
        isDelivered: Bool,
        nowMs: Int64
    ) throws(DatabaseError) {
        try change { () throws(DatabaseError) in
            let newer = try database.prepare(
                "SELECT 1 FROM deliveries WHERE channel = ?1 AND subject = ?2 AND number > ?3 LIMIT 1"
            )
            try newer.bind(1, channel)
            try newer.bind(2, job.subject)
            try newer.bind(3, job.number)
            if try newer.step() {
                newer.reset()
                try end(job.number, state: isDelivered ? "delivered" : "superseded", answer: answer, nowMs: nowMs)
                return
            }
            let update = try database.prepare(
                "UPDATE deliveries SET state = ?1, next_at = ?2, answer = ?3, ended_at = ifnull(?4, ended_at), "
                    + "tries = CASE WHEN ?1 = 'repeating' THEN 0 ELSE tries END WHERE number = ?5"
            )
            try update.bind(1, isDelivered ? "repeating" : "waiting")
            try update.bind(2, untilMs)
            try update.bind(3, answer)
            if isDelivered { try update.bind(4, nowMs) } else { try update.bindNull(4) }
            try update.bind(5, job.number)
            try update.run()
        }
    }

    /// Gives a notice that one channel couldn't take to the first of others that hasn't had it.
    ///
    /// - Returns: which one has it now; nil when all have had it.
    func pass(_ job: Job, from channel: String, to others: [String], nowMs: Int64) throws(DatabaseError) -> String? {
        for other in others {
            var row = NewDelivery(
                epoch: job.epoch,
                place: job.place,
                channel: other,
                subject: job.subject,
                notice: job.notice
            )
            row.insteadOf = channel
            row.notice.insteadOf = channel
            try add(row, nowMs: nowMs)
            if database.changes == 1 { return other }
        }
        return nil
    }
}

/// A row to be added.
private struct NewDelivery {
    var epoch: String
    var place: OutboxItem.Place
    var channel: String
    var subject: String
    var notice: Notice
    var insteadOf: String?
}

extension Notice {
    /// What goes first where a channel can't keep up: what should wake somebody.
    fileprivate var urgency: Int64 {
        switch (alert?.severity, happening) {
        case (.critical, .resolved), (.critical, .acknowledged), (.warning, _): 1
        case (.critical, _): 2
        case (.info, _), (nil, _): 0
        }
    }
}
