import ShuntNative

/// Sends events in batches, and sends a batch again until it is answered.
struct EventSender: ~Copyable {
    /// A batch stays well below the daemon's limit of a megabyte.
    private static let batchBytes = 512 << 10
    /// So many bad events are named one by one.
    private static let namedRejections = 20

    private(set) var tally = SendTally()
    private var client: DaemonClient
    private var progress: SendProgress
    private let batchSize: Int
    private let patienceMs: Int64
    private var parser = JSONDocument()
    private var hasReached = false
    private var meter = ProgressMeter()

    init(client: consuming DaemonClient, progress: SendProgress, batchSize: Int, patienceMs: Int64) {
        self.client = client
        self.progress = progress
        self.batchSize = batchSize
        self.patienceMs = patienceMs
    }

    mutating func sendAll(of source: inout EventSource) throws(CommandFailure) {
        let alreadySent = progress.acknowledged
        if alreadySent > 0 {
            StandardStream.error.write("going on after \(alreadySent) events that were acknowledged before\n")
        }
        var number = 0
        var batch: [UInt8] = []
        var count = 0
        while let event = try source.nextEvent() {
            number += 1
            guard number > alreadySent else { continue }
            if count > 0, batch.count + event.count > Self.batchBytes {
                try send(batch, count: count, firstNumber: number - count)
                batch.removeAll(keepingCapacity: true)
                count = 0
            }
            batch += identified(event, number: number)
            batch.append(UInt8(ascii: "\n"))
            count += 1
            if count == batchSize {
                try send(batch, count: count, firstNumber: number - count + 1)
                batch.removeAll(keepingCapacity: true)
                count = 0
                meter.show(sent: tally.sent, bytes: source.bytesRead, of: source.size)
            }
        }
        if count > 0 { try send(batch, count: count, firstNumber: number - count + 1) }
        meter.clear()
        progress.finish()
    }

    /// The event with an identity of this run, if it has none of its own.
    private mutating func identified(_ event: [UInt8], number: Int) -> [UInt8] {
        guard (try? parser.parse(event)) != nil, parser.kind(of: parser.root) == .object,
            parser.member("eventId", of: parser.root) == nil,
            let brace = event.firstIndex(of: UInt8(ascii: "{"))
        else { return event }
        let isEmpty = parser.count(of: parser.root) == 0
        let identity = "\"eventId\":\"send-\(progress.run)-\(number)\"" + (isEmpty ? "" : ",")
        return event[...brace] + Array(identity.utf8) + event[(brace + 1)...]
    }

    private mutating func send(_ batch: [UInt8], count: Int, firstNumber: Int) throws(CommandFailure) {
        let beganNs = SystemClock.monotonicNanoseconds
        var pauseMs: Int64 = 200
        while true {
            var waitMs = pauseMs
            let trouble: String
            switch attempt(batch) {
            case .success(let response) where response.status != 429 && response.status < 500:
                return try take(response, count: count, firstNumber: firstNumber)
            case .success(let response):
                trouble = "it answers \(response.status)"
                let afterSec = response.header("Retry-After").flatMap { Int64($0) } ?? 0
                waitMs = max(waitMs, afterSec * 1000)
            case .failure(let error):
                guard hasReached else {
                    throw CommandFailure(.unreachable, "no daemon at \(client.url): \(error)")
                }
                trouble = error.description
            }
            let waitedMs = (SystemClock.monotonicNanoseconds - beganNs) / 1_000_000
            guard waitedMs + waitMs <= patienceMs else { throw stopped(trouble) }
            SystemClock.sleep(milliseconds: waitMs)
            pauseMs = min(pauseMs * 2, 5_000)
        }
    }

    private mutating func attempt(_ batch: [UInt8]) -> Result<HTTPTransfer.Response, HTTPTransferError> {
        do throws(HTTPTransferError) {
            let response = try client.post("/v1/events", type: "application/x-ndjson", body: batch)
            hasReached = true
            return .success(response)
        } catch {
            return .failure(error)
        }
    }

    private func stopped(_ trouble: String) -> CommandFailure {
        let goOn = progress.isKept ? "; the same command goes on from there" : ""
        return CommandFailure(
            .failure,
            "stopped after \(progress.acknowledged) acknowledged events: \(client.url): \(trouble)\(goOn)"
        )
    }

    private mutating func take(
        _ response: HTTPTransfer.Response,
        count: Int,
        firstNumber: Int
    ) throws(CommandFailure) {
        if let refusal = client.refusal(response) { throw refusal }
        guard response.status == 202 || response.status == 422, (try? parser.parse(response.body)) != nil else {
            let body = String(decoding: response.body.prefix(300), as: UTF8.self)
            throw CommandFailure(.failure, "\(client.url) answers \(response.status): \(body)")
        }
        tally.sent += count
        tally.accepted += number("accepted")
        tally.duplicates += number("duplicates")
        tally.late += number("late")
        if let rejected = parser.member("rejected", of: parser.root) {
            var elements = parser.children(of: rejected)
            while let element = elements.next(in: parser) { nameRejection(element, firstNumber: firstNumber) }
        }
        progress.advance(by: count)
    }

    private mutating func nameRejection(_ rejection: JSONValue, firstNumber: Int) {
        tally.rejected += 1
        guard tally.rejected <= Self.namedRejections else {
            if tally.rejected == Self.namedRejections + 1 { StandardStream.error.write("…\n") }
            return
        }
        let index = parser.member("index", of: rejection).flatMap { parser.int64(of: $0) } ?? 0
        let pointer = parser.member("pointer", of: rejection).flatMap { parser.string(of: $0) } ?? ""
        let detail = parser.member("detail", of: rejection).flatMap { parser.string(of: $0) } ?? ""
        let place = pointer.isEmpty ? "" : " \(pointer):"
        meter.clear()
        StandardStream.error.write("event \(firstNumber + Int(index)):\(place) \(detail)\n")
    }

    private func number(_ name: String) -> Int {
        parser.member(name, of: parser.root).flatMap { parser.int64(of: $0) }.map { Int($0) } ?? 0
    }
}

/// One line that tells a person how far a long work is; nothing when nobody looks.
struct ProgressMeter {
    private static let intervalNs: Int64 = 200_000_000

    private let isShown = StandardStream.error.isTerminal
    private var lastNs: Int64 = 0
    private var isOnScreen = false

    mutating func show(sent: Int, bytes: Int64, of total: Int64?) {
        let share = total.map { $0 > 0 ? ", \(min(100, bytes * 100 / $0)) % of the file" : "" } ?? ""
        show("sent \(sent) events\(share)")
    }

    mutating func show(_ line: @autoclosure () -> String) {
        let nowNs = SystemClock.monotonicNanoseconds
        guard isShown, nowNs - lastNs >= Self.intervalNs else { return }
        lastNs = nowNs
        isOnScreen = true
        StandardStream.error.write("\r\u{1B}[K\(line())")
    }

    mutating func clear() {
        guard isOnScreen else { return }
        isOnScreen = false
        StandardStream.error.write("\r\u{1B}[K")
    }
}
