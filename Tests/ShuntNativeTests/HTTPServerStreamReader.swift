import ShuntNative

/// Reads a stream off a connection: its head, then its chunks, each as it was framed.
struct HTTPServerStreamReader {
    let socket: HTTPRawSocket
    private var buffer: [UInt8] = []

    init(_ socket: HTTPRawSocket) { self.socket = socket }

    /// Asks for a stream.
    init(port: UInt16, target: String = "/stream", receiveBufferBytes: Int32? = nil) throws {
        socket = try HTTPRawSocket(port: port, receiveBufferBytes: receiveBufferBytes)
        socket.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
    }

    /// The head, as text.
    mutating func head() throws -> String {
        var text = ""
        while true {
            let line = try line()
            if line.isEmpty { return text }
            text += line + "\n"
        }
    }

    /// The next chunk; nil at the end of the stream, if that is marked.
    mutating func chunk(withinMs milliseconds: Int32 = 10_000) throws -> String? {
        let size = try line(withinMs: milliseconds)
        guard let count = Int(size, radix: 16) else {
            throw HTTPRawSocket.Failure(description: "not the length of a chunk: '\(size)'")
        }
        while buffer.count < count + 2 { try fill(withinMs: milliseconds) }
        let text = String(decoding: buffer.prefix(count), as: UTF8.self)
        guard buffer[count] == 0x0d, buffer[count + 1] == 0x0a else {
            throw HTTPRawSocket.Failure(description: "a chunk that goes on beyond its \(count) bytes: '\(text)'")
        }
        buffer.removeFirst(count + 2)
        return count == 0 ? nil : text
    }

    /// Whether nothing comes before the connection ends.
    mutating func isAtEnd() throws -> Bool {
        guard buffer.isEmpty else { return false }
        return try socket.receive()?.isEmpty == true
    }

    private mutating func line(withinMs milliseconds: Int32 = 10_000) throws -> String {
        while true {
            if let end = buffer.firstIndex(of: 0x0a) {
                let text = String(decoding: buffer.prefix(max(0, end - 1)), as: UTF8.self)
                buffer.removeFirst(end + 1)
                return text
            }
            try fill(withinMs: milliseconds)
        }
    }

    private mutating func fill(withinMs milliseconds: Int32) throws {
        guard let more = try socket.receive(withinMs: milliseconds) else {
            throw HTTPRawSocket.Failure(description: "nothing within \(milliseconds) ms")
        }
        guard !more.isEmpty else { throw HTTPRawSocket.Failure(description: "closed") }
        buffer += more
    }
}
