internal import ShuntSchema

/// The attempts that run, that are in doubt, and that ended lately, each environment for itself.
///
/// Those that ended are remembered so that a late failure, or the same end once more, is known for what it is. The
/// oldest of them make room; what is in doubt stays until it is settled.
struct AttemptLedger: Sendable {
    /// How many attempts are remembered besides those in doubt.
    static let maximumRemembered = 262_144
    /// How many in doubt are listed; more are counted.
    static let maximumListed = 100_000
    /// How many attempts of one order are seen together; an older one then stands for itself.
    static let maximumOfOrder = 16
    /// How many environments have a book of their own.
    static let maximumBooks = 64

    var maximumRemembered = Self.maximumRemembered
    var maximumListed = Self.maximumListed

    var records: [AttemptRecord] = []
    var words: [AttemptWords] = []
    var books = [DoubtBook(environment: PaymentEvent.defaultEnvironment)]
    /// Those that aren't listed as in doubt, in the order in which they make room.
    var remembered = LinkedList()
    /// The links of `remembered` and of the books' lists.
    var links: [Links] = []
    /// Those whose end is waited for, and those whose notification is, by time.
    var patient = LinkedList()
    var notified = LinkedList()
    /// The links of these two.
    var waits: [Links] = []
    /// The time before this isn't waited through: nobody was there to hear how attempts ended.
    var waitsFrom = Timestamp(milliseconds: .min)
    /// How many made room while they ran with their token sent, or were in doubt.
    var forgotten = 0
    /// How often each finding was made, in the order of `Finding.allCases`.
    var findings = [Int](repeating: 0, count: Finding.allCases.count)

    private var attempts = KeyIndex()
    private var orders = KeyIndex()
    private var freePlaces: [Int] = []
    private var freeWords: [Int] = []

    /// Nothing known.
    init() {}

    /// Whether a book has changed since rules looked.
    var isChanged: Bool { books.contains(where: \.isChanged) }

    // MARK: Finding

    /// An attempt's name as a number, the same in every process.
    static func key(attempt: String, environment: String) -> UInt64 { key(1, attempt, environment) }

    /// An order's name as a number; never 0, which stands for none.
    static func key(order: String, environment: String) -> UInt64 { max(1, key(2, order, environment)) }

    private static func key(_ mark: UInt8, _ name: String, _ environment: String) -> UInt64 {
        var hash = StableHash()
        hash.combine(byte: mark)
        hash.combine(environment)
        hash.combine(name)
        return hash.value
    }

    func place(attempt key: UInt64) -> Int? { attempts.find(key) { records[$0].key == key } }

    /// The last attempt of an order.
    func place(order key: UInt64) -> Int? { orders.find(key) { records[$0].order == key } }

    /// The attempts of an order, the last one first.
    func places(ofOrder key: UInt64) -> [Int] {
        guard key != 0, var place = place(order: key) else { return [] }
        var places = [place]
        while records[place].before >= 0, places.count < Self.maximumOfOrder {
            place = Int(records[place].before)
            places.append(place)
        }
        return places
    }

    // MARK: Making and forgetting

    /// The record of an event's attempt; made if there is none.
    ///
    /// An event that names only the order is about the order's last attempt. The first that names an attempt of an order
    /// that was known by itself so far is about the same.
    mutating func place(for event: PaymentEvent, at: Timestamp) -> Int {
        let orderKey = event.orderRef.map { Self.key(order: $0, environment: event.environment) } ?? 0
        guard let attemptId = event.attemptId else {
            if let place = place(order: orderKey) { return place }
            return make(key: orderKey, order: orderKey, isNamed: false, event, at: at)
        }
        let key = Self.key(attempt: attemptId, environment: event.environment)
        if let place = place(attempt: key) {
            if records[place].order == 0, orderKey != 0 { adopt(place, order: orderKey, event) }
            return place
        }
        if orderKey != 0, let last = place(order: orderKey), !records[last].isNamed {
            records[last].key = key
            records[last].isNamed = true
            attempts.insert(last, hash: key)
            if records[last].words >= 0 { words[Int(records[last].words)].attempt = attemptId }
            return last
        }
        return make(key: key, order: orderKey, isNamed: true, event, at: at)
    }

    private mutating func make(
        key: UInt64,
        order: UInt64,
        isNamed: Bool,
        _ event: PaymentEvent,
        at: Timestamp
    ) -> Int {
        if remembered.count >= maximumRemembered { forgetOldest() }
        let record = AttemptRecord(
            key: key,
            order: 0,
            book: book(for: event.environment),
            firstAt: at,
            lastAt: at,
            since: at,
            isNamed: isNamed
        )
        let place: Int
        if let free = freePlaces.popLast() {
            place = free
            records[place] = record
        } else {
            place = records.count
            records.append(record)
            links.append(Links())
            waits.append(Links())
        }
        remembered.append(place, &links)
        if isNamed { attempts.insert(place, hash: key) }
        records[place].words = Int32(takeWords(AttemptWords(attempt: event.attemptId, order: event.orderRef)))
        if order != 0 { link(place, order: order) }
        return place
    }

    /// The first event that says which order an attempt belongs to.
    private mutating func adopt(_ place: Int, order: UInt64, _ event: PaymentEvent) {
        if records[place].words >= 0 { words[Int(records[place].words)].order = event.orderRef }
        link(place, order: order)
    }

    private mutating func link(_ place: Int, order: UInt64) {
        let others = places(ofOrder: order)
        records[place].order = order
        if let last = others.first {
            records[place].before = Int32(last)
            orders.remove(last, hash: order)
        }
        orders.insert(place, hash: order)
        guard others.count >= Self.maximumOfOrder, let oldest = others.last else { return }
        records[others[others.count - 2]].before = -1
        records[oldest].order = 0
    }

    private mutating func unlink(_ place: Int) {
        let order = records[place].order
        guard order != 0 else { return }
        let before = records[place].before
        if before < 0, self.place(order: order) == place {
            // Most orders are paid at the first attempt.
            orders.remove(place, hash: order)
            records[place].order = 0
            return
        }
        let all = places(ofOrder: order)
        if all.first == place {
            orders.remove(place, hash: order)
            if before >= 0 { orders.insert(Int(before), hash: order) }
        } else if let newer = all.first(where: { records[$0].before == Int32(place) }) {
            records[newer].before = before
        }
        records[place].order = 0
        records[place].before = -1
    }

    private mutating func forgetOldest() {
        guard remembered.oldest >= 0 else { return }
        let place = Int(remembered.oldest)
        let record = records[place]
        if record.phase.isInDoubt {
            books[record.book].unlisted -= 1
            books[record.book].add(record.amount, sign: -1)
            books[record.book].isChanged = true
        }
        if record.phase.isInDoubt || record.phase.isRunning && record.isTokenSent { forgotten += 1 }
        stopWaiting(place)
        unlink(place)
        if record.isNamed { attempts.remove(place, hash: record.key) }
        dropWords(place)
        remembered.remove(place, &links)
        freePlaces.append(place)
    }

    /// The number of an environment's book. Made-up environments share one, so that they can't take up room without end.
    private mutating func book(for environment: String) -> Int {
        if let number = number(ofBook: environment) { return number }
        let isFull = books.count >= Self.maximumBooks
        if isFull, let number = number(ofBook: RuleState.overflowValue) { return number }
        books.append(DoubtBook(environment: isFull ? RuleState.overflowValue : environment))
        return books.count - 1
    }

    func number(ofBook environment: String) -> Int? {
        books.firstIndex { $0.environment == environment }
    }

    // MARK: Texts

    private mutating func takeWords(_ new: AttemptWords) -> Int {
        if let free = freeWords.popLast() {
            words[free] = new
            return free
        }
        words.append(new)
        return words.count - 1
    }

    private mutating func dropWords(_ place: Int) {
        guard records[place].words >= 0 else { return }
        let number = Int(records[place].words)
        words[number] = AttemptWords()
        freeWords.append(number)
        records[place].words = -1
    }

    // MARK: Waiting

    mutating func wait(for place: Int, from at: Timestamp) {
        stopWaiting(place)
        records[place].since = at
        records[place].isAwaited = true
        if records[place].phase == .accepted { notified.append(place, &waits) } else { patient.append(place, &waits) }
    }

    private mutating func stopWaiting(_ place: Int) {
        guard records[place].isAwaited else { return }
        records[place].isAwaited = false
        if records[place].phase == .accepted { notified.remove(place, &waits) } else { patient.remove(place, &waits) }
    }

    // MARK: Moving

    /// Puts an attempt where an input leads it.
    ///
    /// - Parameter name: what a person or an event called it, where its texts were dropped when it ended.
    mutating func move(_ place: Int, to step: MoneyStep, stage: Stage, name: AttemptWords, at: Timestamp) {
        let former = records[place].phase
        guard step.phase != former else {
            if step.reason.isNews { records[place].reason = step.reason }
            return
        }
        stopWaiting(place)
        if former.isInDoubt { leaveDoubt(place) }
        records[place].phase = step.phase
        records[place].reason = step.reason
        records[place].stage = stage
        records[place].since = at
        if step.phase.isInDoubt || step.phase.isRunning {
            if records[place].words < 0 { records[place].words = Int32(takeWords(name)) }
        } else {
            dropWords(place)
        }
        if step.phase.isInDoubt { enterDoubt(place) }
        if step.phase == .accepted { wait(for: place, from: at) }
    }

    private mutating func enterDoubt(_ place: Int) {
        let number = records[place].book
        books[number].isChanged = true
        books[number].add(records[place].amount, sign: 1)
        guard books.reduce(0, { $0 + $1.listed.count }) < maximumListed else {
            books[number].unlisted += 1
            return
        }
        records[place].isListed = true
        remembered.remove(place, &links)
        books[number].listed.append(place, &links)
    }

    private mutating func leaveDoubt(_ place: Int) {
        let number = records[place].book
        books[number].isChanged = true
        books[number].add(records[place].amount, sign: -1)
        guard records[place].isListed else {
            books[number].unlisted -= 1
            return
        }
        records[place].isListed = false
        books[number].listed.remove(place, &links)
        if remembered.count >= maximumRemembered { forgetOldest() }
        remembered.append(place, &links)
    }

    /// Notes the first amount that an attempt's events name.
    mutating func note(_ amount: SmallAmount, of place: Int) {
        records[place].amount = amount
        guard records[place].phase.isInDoubt else { return }
        books[records[place].book].add(amount, sign: 1)
        books[records[place].book].isChanged = true
    }

    // MARK: Reading back

    /// Holds a record as it was read from a snapshot; where it is listed is the caller's to say.
    mutating func restore(_ record: AttemptRecord, words text: AttemptWords?) -> Int {
        let place = records.count
        records.append(record)
        links.append(Links())
        waits.append(Links())
        if let text { records[place].words = Int32(takeWords(text)) }
        if record.isNamed { attempts.insert(place, hash: record.key) }
        return place
    }

    /// Holds the last attempt of an order as it was read from a snapshot.
    mutating func restoreLast(_ place: Int, ofOrder order: UInt64) {
        orders.insert(place, hash: order)
    }
}

extension MoneyReason {
    /// Whether it is worth noting though the phase stays: a new try of an attempt that failed.
    fileprivate var isNews: Bool { self == .refused || self == .begun }
}
