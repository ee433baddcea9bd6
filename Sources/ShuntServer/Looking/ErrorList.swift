internal import ShuntCore
internal import ShuntSchema

/// A page of an environment's error keys.
struct ErrorList: Sendable {
    /// How many points a series has.
    static let points = 60

    struct Row: Sendable {
        var key: ErrorHistory.Key
        var failureClass: FailureClass
        var firstSeenAt: Timestamp
        var lastSeenAt: Timestamp
        var tally: ErrorTallies.Row
        var sharePercent: Double?
        var series: [Int]
    }

    let environment: String
    let windowMs: Int64
    let at: Timestamp
    let countedSince: Timestamp
    let attempts: AttemptTally?
    let routes: [(route: String?, tally: AttemptTally)]
    let rows: [Row]
    /// How many error keys failed within the window and have the class that was asked for.
    let total: Int
    let nextCursor: Int?

    init(
        _ book: HistoryBook,
        environment: String,
        windowMs: Int64,
        at: Timestamp,
        failureClass: FailureClass?,
        skipped: Int,
        limit: Int
    ) {
        let tallies = ErrorTallies(book, environment: environment, windowMs: windowMs, at: at)
        let meant = tallies.rows.filter { row in
            failureClass.map { book.errors.records[row.number].failureClass == $0 } ?? true
        }
        let page = meant.dropFirst(skipped).prefix(limit)
        let series = book.failures.series(
            of: page.map(\.number),
            from: at.advanced(byMs: -windowMs),
            until: at,
            points: Self.points
        )
        self.environment = environment
        self.windowMs = windowMs
        self.at = at
        countedSince = tallies.countedSince
        attempts = tallies.attempts
        routes = tallies.routes
        rows = page.map { tally in
            let record = book.errors.records[tally.number]
            return Row(
                key: record.key,
                failureClass: record.failureClass,
                firstSeenAt: record.firstAt,
                lastSeenAt: record.lastAt,
                tally: tally,
                sharePercent: tallies.attempts.map { Self.percent(tally.attempts, of: $0.attempts) },
                series: series[tally.number] ?? []
            )
        }
        total = meant.count
        nextCursor = skipped + page.count < meant.count ? skipped + page.count : nil
    }

    /// With one decimal; never more than all.
    static func percent(_ part: Int, of whole: Int) -> Double {
        whole > 0 ? Double(min(1_000, part * 1_000 / whole)) / 10 : 0
    }
}

extension JSONWriter {
    mutating func write(_ list: ErrorList) {
        beginObject()
        field("environment", list.environment)
        field("windowSec", list.windowMs / 1_000)
        field("at", list.at)
        field("countedSince", list.countedSince)
        field("attempts", list.attempts?.attempts)
        field("succeeded", list.attempts?.succeeded)
        key("routes")
        beginArray()
        for (route, tally) in list.routes {
            beginObject()
            field("route", route)
            field("attempts", tally.attempts)
            field("succeeded", tally.succeeded)
            field("failed", tally.failed)
            endObject()
        }
        endArray()
        field("total", list.total)
        key("errors")
        beginArray()
        for row in list.rows { write(row, windowMs: list.windowMs) }
        endArray()
        field("nextCursor", list.nextCursor.map { "\($0)" })
        endObject()
    }

    private mutating func write(_ row: ErrorList.Row, windowMs: Int64) {
        beginObject()
        field("domain", row.key.domain)
        field("code", row.key.code)
        field("class", row.failureClass.rawValue)
        field("count", row.tally.count)
        field("attempts", row.tally.attempts)
        field("installs", row.tally.installs)
        if let share = row.sharePercent {
            key("sharePercent")
            number(share)
        }
        writeAmounts("amount", row.tally.orderedAmounts)
        field("firstSeenAt", row.firstSeenAt)
        field("lastSeenAt", row.lastSeenAt)
        writeSeries(row.series, stepMs: windowMs / Int64(ErrorList.points))
        endObject()
    }

    /// Sums of money, in minor units.
    mutating func writeAmounts(_ name: String, _ amounts: [(currency: String, minor: Int128)]) {
        key(name)
        beginArray()
        for (currency, minor) in amounts {
            beginObject()
            field("currency", currency)
            field("minor", minor)
            endObject()
        }
        endArray()
    }

    /// Counts of equal stretches of time, oldest first.
    mutating func writeSeries(_ points: [Int], stepMs: Int64) {
        key("series")
        beginObject()
        field("stepMs", stepMs)
        key("points")
        beginArray()
        for point in points { integer(point) }
        endArray()
        endObject()
    }
}
