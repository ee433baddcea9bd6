import Foundation
import Synchronization

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

    let port: UInt16
    private let listener: Int32
    private let state: Mutex<State>

    init(_ replies: [Reply]) throws {
        state = Mutex(State(replies: replies))
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        let thread = Thread { [self] in serve() }
        thread.start()
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// The heads and bodies that arrived, in order.
    var requests: [String] { state.withLock { $0.requests } }

    /// How many connections were accepted.
    var connections: Int { state.withLock { $0.connections } }

    /// Takes no more connections. Only the thread closes the socket: its number may be another server's right after.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve() {
        defer { close(listener) }
        while true {
            let connection = accept(listener, nil, nil)
            if connection < 0 { return }
            state.withLock { $0.connections += 1 }
            while let request = receive(connection) {
                let reply = state.withLock { state in
                    state.requests.append(request)
                    return state.replies.isEmpty ? .silence : state.replies.removeFirst()
                }
                switch reply {
                case .send(let bytes): transmit(bytes, connection)
                case .sendAndClose(let bytes):
                    transmit(bytes, connection)
                    shutdown(connection, Int32(SHUT_RDWR))
                case .silence: break
                }
            }
            close(connection)
        }
    }

    /// One request with its body, or nil when the client has left.
    private func receive(_ connection: Int32) -> String? {
        var bytes: [UInt8] = []
        var wanted: Int?
        var chunk = [UInt8](repeating: 0, count: 65_536)
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
            let count = unsafe recv(connection, &chunk, chunk.count, 0)
            if count <= 0 { return nil }
            bytes += chunk[..<count]
        }
    }

    private func transmit(_ bytes: [UInt8], _ connection: Int32) {
        var sent = 0
        while sent < bytes.count {
            let rest = Array(bytes[sent...])
            let count = unsafe send(connection, rest, rest.count, Int32(MSG_NOSIGNAL))
            if count <= 0 { return }
            sent += count
        }
    }
}
