import Foundation
import Synchronization

@testable import ShuntNative

/// A server on a free loopback port that answers each request with the next line of its script, byte for byte.
final class ScriptedServer: Sendable {
    enum Reply: Sendable {
        /// Send these bytes and keep the connection.
        case send([UInt8])
        /// Send these bytes and close.
        case sendAndClose([UInt8])
        /// Read the request and say nothing until the client leaves.
        case silence
    }

    private struct State {
        var replies: [Reply]
        var requests: [String] = []
        var connections = 0
    }

    private let listener: HTTPListener
    private let state: Mutex<State>

    init(_ replies: [Reply]) throws {
        state = Mutex(State(replies: replies))
        listener = try HTTPListener(address: "127.0.0.1", port: 0)
        // The listener is made for loops that never wait; here a thread waits in accept.
        _ = fcntl(listener.descriptor.number, F_SETFL, 0)
        Thread { [self] in serve() }.start()
    }

    var port: UInt16 { listener.port }

    var url: String { "http://127.0.0.1:\(port)" }

    /// The heads and bodies that arrived, in order.
    var requests: [String] { state.withLock { $0.requests } }

    /// How many connections were accepted.
    var connections: Int { state.withLock { $0.connections } }

    /// Takes no more connections, which ends the thread.
    func stop() { shutdown(listener.descriptor.number, Int32(SHUT_RDWR)) }

    private func serve() {
        // A client that leaves early must be an error of the write, not the end of the test run.
        ProcessSignals.block()
        while true {
            let number = accept(listener.descriptor.number, nil, nil)
            if number < 0 { return }
            state.withLock { $0.connections += 1 }
            let connection = FileHandle(fileDescriptor: number, closeOnDealloc: true)
            // Whatever a connection ends with, the next one is served.
            try? converse(connection)
        }
    }

    private func converse(_ connection: FileHandle) throws {
        while let request = try receive(connection) {
            let reply = state.withLock { state in
                state.requests.append(request)
                return state.replies.isEmpty ? .silence : state.replies.removeFirst()
            }
            switch reply {
            case .send(let bytes): try connection.write(contentsOf: Data(bytes))
            case .sendAndClose(let bytes):
                try connection.write(contentsOf: Data(bytes))
                return
            case .silence: break
            }
        }
    }

    /// One request with its body, or nil when the client has left.
    private func receive(_ connection: FileHandle) throws -> String? {
        var bytes = Data()
        var wanted: Int?
        while true {
            if wanted == nil {
                let text = String(decoding: bytes, as: UTF8.self)
                if let end = text.range(of: "\r\n\r\n") {
                    let head = text[..<end.upperBound]
                    let length = head.components(separatedBy: "Content-Length: ").dropFirst().first
                    wanted = head.utf8.count + (length.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0)
                }
            }
            if let wanted, bytes.count >= wanted { return String(decoding: bytes, as: UTF8.self) }
            let some = connection.availableData
            if some.isEmpty { return nil }
            bytes += some
        }
    }
}
