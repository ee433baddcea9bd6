internal import ShuntNative

// MARK: - Upkeep

extension OutboxFile {
    /// So many may wait for one channel; of more the least urgent are given up, the oldest first.
    static let maximumWaiting = 10_000
    /// What is over is kept for so long, in milliseconds.
    static let keptMs: Int64 = 30 * 86_400_000

    /// What waited for longer is told no more: whether it still holds, a reminder says.
    static let staleMs: Int64 = 86_400_000

    /// What was being sent when the process ended is in doubt, and is sent again under the same identity.
    ///
    /// - Returns: how many are too old to be told.
    func resume(nowMs: Int64) throws(DatabaseError) -> Int {
        try database.execute("UPDATE deliveries SET state = 'waiting' WHERE state = 'sending'")
        let stale = try database.prepare(
            "UPDATE deliveries SET state = 'dropped', ended_at = ?1, answer = 'too old' "
                + "WHERE state = 'waiting' AND made_at < ?2"
        )
        try stale.bind(1, nowMs)
        try stale.bind(2, nowMs - Self.staleMs)
        try stale.run()
        return database.changes
    }

    /// Takes what waits from a channel that isn't there any more, and gives it to the first of others that hasn't had it.
    ///
    /// - Returns: how many there were.
    func close(channel: String, passingTo others: [String], nowMs: Int64) throws(DatabaseError) -> Int {
        var count = 0
        while let job = try due(channel: channel, nowMs: .max / 2, horizonMs: 0) {
            if !job.isRepeat { _ = try pass(job, from: channel, to: others, nowMs: nowMs) }
            let answer = "the channel isn't configured any more"
            try end(job.number, state: job.isRepeat ? "delivered" : "refused", answer: answer, nowMs: nowMs)
            count += 1
        }
        return count
    }

    /// The channels that something waits for.
    func waitingChannels() throws(DatabaseError) -> [String] {
        let rows = try database.prepare(
            "SELECT DISTINCT channel FROM deliveries WHERE state IN ('waiting', 'repeating') ORDER BY channel"
        )
        var channels: [String] = []
        while try rows.step() { channels.append(rows.text(0)) }
        return channels
    }

    /// How many wait, and when the oldest of them came about by the wall clock. What is only repeated doesn't wait.
    func backlog() throws(DatabaseError) -> (count: Int, oldestMs: Int64?) {
        let rows = try database.prepare(
            "SELECT count(*), min(made_at) FROM deliveries WHERE state IN ('waiting', 'sending')"
        )
        guard try rows.step() else { return (0, nil) }
        return (Int(rows.integer(0)), rows.isNull(1) ? nil : rows.integer(1))
    }

    /// Drops what ended long ago, and what waits beyond the limit of a channel; says how many of the latter.
    func prune(channel: String, nowMs: Int64) throws(DatabaseError) -> Int {
        let old = try database.prepare(
            "DELETE FROM deliveries WHERE ended_at < ?1 AND state NOT IN ('waiting', 'sending', 'repeating')"
        )
        try old.bind(1, nowMs - Self.keptMs)
        try old.run()
        let surplus = try database.prepare(
            "UPDATE deliveries SET state = 'dropped', ended_at = ?1 WHERE number IN (SELECT number FROM deliveries "
                + "WHERE channel = ?2 AND state = 'waiting' ORDER BY urgency DESC, number DESC LIMIT -1 OFFSET ?3)"
        )
        try surplus.bind(1, nowMs)
        try surplus.bind(2, channel)
        try surplus.bind(3, Int64(Self.maximumWaiting))
        try surplus.run()
        return database.changes
    }
}
