import Foundation
import Synchronization

@testable import ShuntNative

/// Whoever is told of alerts: an HTTP server on a loopback port, which keeps what it gets.
final class Receiver: Sendable {
    /// A request that it got.
    struct Message: Sendable {
        /// The header fields by their names in lower case.
        var fields: [String: String]
        var body: Data

        /// Names the notice: the same at each try.
        var id: String { fields["webhook-id"] ?? "" }
        /// A webhook's `type`.
        var type: String { object["type"] as? String ?? "" }
        /// A webhook's `data`.
        var data: [String: Any] { object["data"] as? [String: Any] ?? [:] }
        var title: String { data["title"] as? String ?? "" }
        var lines: [String] { data["lines"] as? [String] ?? [] }
        /// A Slack message's text: what its notification shows.
        var text: String { object["text"] as? String ?? "" }

        private var object: [String: Any] {
            (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:]
        }
    }

    private let listener: HTTPListener
    private struct State {
        var messages: [Message] = []
        var waiters: [(isOver: @Sendable ([Message]) -> Bool, end: Promise<Bool>)] = []
    }

    private let state = Mutex(State())
    private let answer: @Sendable (Message, Int) -> (status: Int, body: String)

    /// - Parameters:
    ///   - port: 0 for a free one.
    ///   - answer: What it says to a message, of which it has got so many before with the same `webhook-id`.
    init(
        port: UInt16 = 0,
        answer: @escaping @Sendable (Message, Int) -> (status: Int, body: String) = { _, _ in (200, "ok") }
    ) throws {
        self.answer = answer
        listener = try HTTPListener(address: "127.0.0.1", port: port)
        // The listener is made for loops that never wait; here a thread waits in accept.
        _ = fcntl(listener.descriptor.number, F_SETFL, 0)
        let number = listener.descriptor.number
        Thread.detachNewThread { [weak self] in
            ProcessSignals.block()
            while true {
                let connection = accept(number, nil, nil)
                guard connection >= 0, let self else { return }
                Thread.detachNewThread {
                    ProcessSignals.block()
                    try? self.converse(FileHandle(fileDescriptor: connection, closeOnDealloc: true))
                }
            }
        }
    }

    deinit { shutdown(listener.descriptor.number, Int32(SHUT_RDWR)) }

    var port: UInt16 { listener.port }
    var url: String { "http://127.0.0.1:\(port)/" }

    /// Everything that came so far, in its order.
    var all: [Message] { state.withLock { $0.messages } }

    /// What came so far of these, once there are so many of them.
    func messages(
        _ count: Int,
        withinSeconds seconds: Double = 20,
        where isMeant: @escaping @Sendable (Message) -> Bool = { _ in true }
    ) async throws -> [Message] {
        let end = Promise<Bool>("so many messages")
        let isOver: @Sendable ([Message]) -> Bool = { $0.count(where: isMeant) >= count }
        state.withLock { state in
            if isOver(state.messages) { end.settle(.success(true)) } else { state.waiters.append((isOver, end)) }
        }
        do {
            _ = try await end.value(withinSeconds: seconds)
        } catch {
            throw TooFew(description: "expected \(count) messages within \(seconds) s, found \(all.map(\.type))")
        }
        return all.filter(isMeant)
    }

    /// Waits for further messages beyond so many, for longer than a channel needs to send what it has, and returns all.
    func settled(where isMeant: @escaping @Sendable (Message) -> Bool) async -> [Message] {
        let count = all.count(where: isMeant)
        let more = try? await messages(count + 1, withinSeconds: 1, where: isMeant)
        return more ?? all.filter(isMeant)
    }

    struct TooFew: Error, CustomStringConvertible {
        let description: String
    }

    /// A port on which nobody listens, for as long as nobody else takes it.
    static func freePort() throws -> UInt16 { try HTTPListener(address: "127.0.0.1", port: 0).port }

    private func converse(_ connection: FileHandle) throws {
        guard let message = receive(connection) else { return }
        let before = state.withLock { state in
            let before = state.messages.count { $0.id == message.id }
            state.messages.append(message)
            for waiter in state.waiters where waiter.isOver(state.messages) { waiter.end.settle(.success(true)) }
            return before
        }
        let (status, body) = answer(message, before)
        let head = "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
        try connection.write(contentsOf: Data((head + body).utf8))
    }

    private func receive(_ connection: FileHandle) -> Message? {
        var data = Data()
        while true {
            if let end = data.range(of: Data("\r\n\r\n".utf8)) {
                var fields: [String: String] = [:]
                let head = String(decoding: data[..<end.lowerBound], as: UTF8.self)
                for line in head.components(separatedBy: "\r\n") {
                    let parts = line.split(separator: ":", maxSplits: 1)
                    guard parts.count == 2 else { continue }
                    fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
                }
                let body = data[end.upperBound...]
                let length = Int(fields["content-length"] ?? "0") ?? 0
                if body.count >= length { return Message(fields: fields, body: body) }
            }
            let some = connection.availableData
            if some.isEmpty { return nil }
            data += some
        }
    }
}
