internal import ShuntSchema

extension AttemptLedger {
    /// Those remembered first, then those in doubt, book by book: the order in which they make room and are listed.
    private var orderedPlaces: [Int] {
        remembered.places(links) + books.flatMap { $0.listed.places(links) }
    }

    func encode(to writer: inout StateWriter) {
        writer.write(books) { writer, book in
            writer.write(book.environment)
            writer.write(book.listed.count)
            writer.write(book.unlisted)
        }
        let places = orderedPlaces
        var numbers = [Int](repeating: -1, count: records.count)
        for (number, place) in places.enumerated() { numbers[place] = number }
        writer.write(remembered.count)
        writer.write(places) { writer, place in
            let record = records[place]
            record.encode(to: &writer, before: record.before < 0 ? -1 : numbers[Int(record.before)])
            if record.words >= 0 { words[Int(record.words)].encode(to: &writer) }
        }
        writer.write(patient.places(waits)) { $0.write(numbers[$1]) }
        writer.write(notified.places(waits)) { $0.write(numbers[$1]) }
        writer.write(waitsFrom.milliseconds)
        writer.write(forgotten)
        writer.write(findings) { $0.write($1) }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init()
        let heads = try reader.readArray { (reader) throws(StateBytesError) in
            (name: try reader.readString(), listed: try reader.readInt(), unlisted: try reader.readInt())
        }
        guard heads.first?.name == PaymentEvent.defaultEnvironment, Set(heads.map(\.name)).count == heads.count,
            heads.count <= Self.maximumBooks + 1,
            heads.allSatisfy({ (0...Self.maximumListed).contains($0.listed) && $0.unlisted >= 0 }),
            heads.reduce(0, { $0 + $1.listed }) <= Self.maximumListed
        else { throw .malformed }
        books = heads.map { DoubtBook(environment: $0.name, unlisted: $0.unlisted) }
        let rememberedCount = try reader.readInt()
        guard (0...Self.maximumRemembered).contains(rememberedCount) else { throw .malformed }
        let befores = try readRecords(&reader)
        let listedCount = heads.reduce(0) { $0 + $1.listed }
        guard records.count == rememberedCount + listedCount else { throw .malformed }
        try place(rememberedCount, listed: heads.map(\.listed))
        try chain(befores)
        try readWaits(&reader)
        waitsFrom = try reader.readTime()
        forgotten = try reader.readInt()
        findings = try reader.readArray { (reader) throws(StateBytesError) in try reader.readInt() }
        guard forgotten >= 0, findings.count == Finding.allCases.count, findings.allSatisfy({ $0 >= 0 }) else {
            throw .malformed
        }
    }

    private mutating func readRecords(_ reader: inout StateReader) throws(StateBytesError) -> [Int] {
        let read = try reader.readArray { (reader) throws(StateBytesError) in
            let (record, before) = try AttemptRecord.read(from: &reader)
            let isKept = record.phase.isInDoubt || record.phase.isRunning
            return (record, before, isKept ? try AttemptWords(from: &reader) : nil)
        }
        for (record, _, text) in read {
            guard record.book < books.count, !record.isNamed || place(attempt: record.key) == nil else {
                throw .malformed
            }
            _ = restore(record, words: text)
        }
        return read.map(\.1)
    }

    /// Puts the records into the lists that they stand in.
    private mutating func place(_ rememberedCount: Int, listed: [Int]) throws(StateBytesError) {
        var unlisted = [Int](repeating: 0, count: books.count)
        for place in 0..<rememberedCount {
            remembered.append(place, &links)
            if records[place].phase.isInDoubt { unlisted[records[place].book] += 1 }
        }
        guard unlisted == books.map(\.unlisted) else { throw .malformed }
        var next = rememberedCount
        for (number, count) in listed.enumerated() {
            for place in next..<next + count {
                guard records[place].book == number, records[place].phase.isInDoubt,
                    place == next || records[place - 1].since <= records[place].since
                else { throw .malformed }
                records[place].isListed = true
                books[number].listed.append(place, &links)
            }
            next += count
        }
        for record in records where record.phase.isInDoubt { books[record.book].add(record.amount, sign: 1) }
    }

    /// Links the attempts of each order.
    private mutating func chain(_ befores: [Int]) throws(StateBytesError) {
        var isNewest = [Bool](repeating: true, count: records.count)
        for (place, before) in befores.enumerated() where before != -1 {
            guard records.indices.contains(before), isNewest[before], before != place, records[place].order != 0,
                records[before].order == records[place].order
            else { throw .malformed }
            isNewest[before] = false
            records[place].before = Int32(before)
        }
        var chained = 0
        for place in records.indices where isNewest[place] && records[place].order != 0 {
            guard self.place(order: records[place].order) == nil else { throw .malformed }
            restoreLast(place, ofOrder: records[place].order)
            let all = places(ofOrder: records[place].order)
            guard let oldest = all.last, records[oldest].before < 0 else { throw .malformed }
            chained += all.count
        }
        guard chained == records.count(where: { $0.order != 0 }) else { throw .malformed }
    }

    private mutating func readWaits(_ reader: inout StateReader) throws(StateBytesError) {
        for phase in [MoneyPhase.open, .accepted] {
            var last = Timestamp(milliseconds: .min)
            let numbers = try reader.readArray { (reader) throws(StateBytesError) in try reader.readInt() }
            for place in numbers {
                guard records.indices.contains(place), records[place].phase == phase, !records[place].isAwaited,
                    last <= records[place].since
                else { throw .malformed }
                last = records[place].since
                wait(for: place, from: last)
            }
        }
        guard records.allSatisfy({ $0.phase != .accepted || $0.isAwaited }) else { throw .malformed }
    }
}

extension AttemptRecord {
    private static let phases = MoneyPhase.allCases
    private static let reasons = MoneyReason.allCases
    private static let stages = Stage.allCases

    fileprivate func encode(to writer: inout StateWriter, before: Int) {
        writer.write(key)
        writer.write(order)
        writer.write(firstAt.milliseconds)
        writer.write(lastAt.milliseconds)
        writer.write(since.milliseconds)
        // Six small things in one word: there may be a quarter of a million records.
        var word = UInt64(book)
        word = word << 8 | UInt64(Self.phases.firstIndex(of: phase) ?? 0)
        word = word << 8 | UInt64(Self.reasons.firstIndex(of: reason) ?? 0)
        word = word << 8 | UInt64(stage.place)
        word = word << 8 | UInt64(findings.bits)
        let flags = [isNamed, isTokenSent, isRisk, amount != nil, reference != 0]
        for flag in flags { word = word << 1 | (flag ? 1 : 0) }
        writer.write(word)
        if let amount {
            writer.write(amount.minor)
            writer.write(UInt64(amount.currency))
        }
        if reference != 0 {
            writer.write(reporter)
            writer.write(reference)
        }
        writer.write(seqs.count)
        writer.write(seqs.list) { $0.write($1) }
        writer.write(before)
    }

    fileprivate static func read(
        from reader: inout StateReader
    ) throws(StateBytesError) -> (record: AttemptRecord, before: Int) {
        let key = try reader.readUInt64()
        let order = try reader.readUInt64()
        let firstAt = try reader.readTime()
        let lastAt = try reader.readTime()
        let since = try reader.readTime()
        var word = try reader.readUInt64()
        var flags: [Bool] = []
        for _ in 0..<5 {
            flags.append(word & 1 == 1)
            word >>= 1
        }
        func next() -> Int {
            defer { word >>= 8 }
            return Int(word & 0xFF)
        }
        let findings = FindingSet(bits: UInt8(next()))
        let stage = next()
        let reason = next()
        let phase = next()
        guard word <= UInt64(AttemptLedger.maximumBooks), stages.indices.contains(stage), findings.isValid,
            reasons.indices.contains(reason), phases.indices.contains(phase), firstAt <= lastAt
        else { throw .malformed }
        var record = AttemptRecord(
            key: key,
            order: order,
            book: Int(word),
            firstAt: firstAt,
            lastAt: lastAt,
            since: since,
            isNamed: flags[4]
        )
        record.phase = phases[phase]
        record.reason = reasons[reason]
        record.stage = stages[stage]
        record.findings = findings
        record.isTokenSent = flags[3]
        record.isRisk = flags[2]
        if flags[1] {
            let minor = try reader.readInt64()
            let currency = UInt32(exactly: try reader.readUInt64())
            guard let currency, let amount = SmallAmount(minor: minor, currency: currency) else { throw .malformed }
            record.amount = amount
        }
        if flags[0] {
            record.reporter = try reader.readUInt64()
            record.reference = try reader.readUInt64()
            guard record.reference != 0 else { throw .malformed }
        }
        let count = try reader.readInt()
        let list = try reader.readArray { (reader) throws(StateBytesError) in try reader.readUInt64() }
        guard count < 1 << 40, let seqs = EventNumbers(list, count: count) else { throw .malformed }
        record.seqs = seqs
        return (record, try reader.readInt())
    }
}

extension AttemptWords {
    fileprivate func encode(to writer: inout StateWriter) {
        writer.write(attempt) { $0.write($1) }
        writer.write(order) { $0.write($1) }
        writer.write(domain)
        writer.write(code)
    }

    fileprivate init(from reader: inout StateReader) throws(StateBytesError) {
        attempt = try reader.readOptional { (reader) throws(StateBytesError) in try reader.readString() }
        order = try reader.readOptional { (reader) throws(StateBytesError) in try reader.readString() }
        domain = try reader.readString()
        code = try reader.readString()
    }
}
