import Foundation
import Synchronization

@testable import ShuntNative

/// A server on a free loopback port that answers as a vendor documents it, or fails as vendors do.
final class VendorServer: Sendable {
    enum Answer: Sendable {
        case reply(Int, String, [String: String] = [:])
        /// Reads the request and closes.
        case close
        /// Reads the request and never answers.
        case hang
    }

    struct Request: Sendable {
        var line: String
        var fields: [String: String]
        var body: String
    }

    private struct State {
        var answers: [Answer]
        var requests: [Request] = []
        var connections = 0
    }

    private let listener: HTTPListener
    private let state: Mutex<State>

    /// - Parameter answers: one a request; the last one repeats.
    init(_ answers: Answer...) throws {
        state = Mutex(State(answers: answers))
        listener = try HTTPListener(address: "127.0.0.1", port: 0)
        // The listener is made for loops that never wait; here a thread waits in accept.
        _ = fcntl(listener.descriptor.number, F_SETFL, 0)
        Thread.detachNewThread { [self] in serve() }
    }

    deinit { stop() }

    var url: String { "http://127.0.0.1:\(listener.port)" }
    var port: UInt16 { listener.port }
    var requests: [Request] { state.withLock { $0.requests } }
    var connections: Int { state.withLock { $0.connections } }

    /// Leaves out the next answer.
    func takeNext() { state.withLock { _ = $0.answers.removeFirst() } }

    func stop() { shutdown(listener.descriptor.number, Int32(SHUT_RDWR)) }

    private func serve() {
        ProcessSignals.block()
        while true {
            let number = accept(listener.descriptor.number, nil, nil)
            if number < 0 { return }
            state.withLock { $0.connections += 1 }
            let connection = FileHandle(fileDescriptor: number, closeOnDealloc: true)
            Thread.detachNewThread { [self] in try? converse(connection) }
        }
    }

    private func converse(_ connection: FileHandle) throws {
        guard let request = receive(connection) else { return }
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        }
        defer { Bell.shared.ring() }
        switch answer {
        case .close: return
        case .hang:
            // Until the client has had enough.
            _ = connection.availableData
        case .reply(let status, let body, let fields):
            var head = "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n"
            for (name, value) in fields { head += "\(name): \(value)\r\n" }
            try connection.write(contentsOf: Data((head + "\r\n" + body).utf8))
        }
    }

    private func receive(_ connection: FileHandle) -> Request? {
        var data = Data()
        while true {
            let text = String(decoding: data, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                var lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
                let line = lines.removeFirst()
                var fields: [String: String] = [:]
                for field in lines {
                    let parts = field.split(separator: ":", maxSplits: 1).map {
                        $0.trimmingCharacters(in: .whitespaces)
                    }
                    if parts.count == 2 { fields[parts[0].lowercased()] = parts[1] }
                }
                let body = text[end.upperBound...]
                if body.utf8.count >= Int(fields["content-length"] ?? "0") ?? 0 {
                    return Request(line: line, fields: fields, body: String(body))
                }
            }
            let some = connection.availableData
            if some.isEmpty { return nil }
            data += some
        }
    }
}
