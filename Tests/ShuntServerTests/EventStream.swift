import ShuntNative

/// A client of an event stream. It speaks HTTP/1.0, so that the messages come without frames.
struct EventStream {
    /// The status line and the header fields.
    let head: String
    private let socket: HTTPRawSocket
    private var text: String

    init(port: UInt16, target: String = "/v1/switches/stream", headers: [(String, String)] = []) throws {
        socket = try HTTPRawSocket(port: port)
        let fields = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        socket.send("GET \(target) HTTP/1.0\r\n\(fields)\r\n")
        var text = ""
        while !text.contains("\r\n\r\n") { text += try Self.more(from: socket) }
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        head = String(parts[0])
        self.text = String(parts[1])
    }

    var status: Int? { head.split(separator: " ").dropFirst().first.flatMap { Int($0) } }

    /// The next message, without the empty line at its end.
    mutating func message(withinMs milliseconds: Int32 = 10_000) throws -> String {
        while !text.contains("\n\n") { text += try Self.more(from: socket, withinMs: milliseconds) }
        let parts = text.split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
        text = String(parts[1])
        return String(parts[0])
    }

    /// Whether nothing comes within a time.
    mutating func isSilent(forMs milliseconds: Int32) throws -> Bool {
        try text.isEmpty && socket.receive(withinMs: milliseconds) == nil
    }

    /// All that comes until the end.
    func rest() throws -> String { try text + socket.receiveAll() }

    private static func more(from socket: HTTPRawSocket, withinMs milliseconds: Int32 = 10_000) throws -> String {
        guard let bytes = try socket.receive(withinMs: milliseconds), !bytes.isEmpty else {
            throw HTTPRawSocket.Failure(description: "no message within \(milliseconds) ms")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
