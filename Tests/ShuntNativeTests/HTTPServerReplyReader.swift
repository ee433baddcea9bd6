import ShuntNative

/// Reads replies, one after the other, off one connection.
struct HTTPServerReplyReader {
    struct Reply: Equatable {
        var status: Int
        var headers: [String: String]
        var body: String
    }

    let socket: HTTPRawSocket
    private var buffer: [UInt8] = []

    init(_ socket: HTTPRawSocket) { self.socket = socket }

    /// The next reply; an interim one too.
    mutating func next(hasBody: Bool = true, withinMs milliseconds: Int32 = 10_000) throws -> Reply {
        let end = Array("\r\n\r\n".utf8)
        var headEnd: Int?
        while headEnd == nil {
            headEnd = Self.find(end, in: buffer)
            if headEnd == nil { try fill(withinMs: milliseconds) }
        }
        let bodyStart = (headEnd ?? 0) + 4
        let lines = String(decoding: buffer[..<(headEnd ?? 0)], as: UTF8.self).split(separator: "\r\n")
        let status = Int(lines[0].split(separator: " ")[1]) ?? 0
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            headers[line[..<colon].lowercased()] = String(line[colon...].dropFirst(2))
        }
        let length = hasBody && status != 304 ? Int(headers["content-length"] ?? "0") ?? 0 : 0
        while buffer.count < bodyStart + length { try fill(withinMs: milliseconds) }
        let body = String(decoding: buffer[bodyStart..<bodyStart + length], as: UTF8.self)
        buffer.removeFirst(bodyStart + length)
        return Reply(status: status, headers: headers, body: body)
    }

    /// Whether the stream ends here, with nothing more before the end.
    mutating func isAtEnd(withinMs milliseconds: Int32 = 10_000) throws -> Bool {
        guard buffer.isEmpty, let more = try socket.receive(withinMs: milliseconds) else { return false }
        return more.isEmpty
    }

    private mutating func fill(withinMs milliseconds: Int32) throws {
        guard let more = try socket.receive(withinMs: milliseconds) else {
            throw HTTPRawSocket.Failure(description: "no reply within \(milliseconds) ms")
        }
        guard !more.isEmpty else {
            let text = String(decoding: buffer, as: UTF8.self)
            throw HTTPRawSocket.Failure(description: "closed after '\(text)'")
        }
        buffer += more
    }

    private static func find(_ needle: [UInt8], in bytes: [UInt8]) -> Int? {
        guard bytes.count >= needle.count else { return nil }
        return (0...bytes.count - needle.count).first { bytes[$0..<$0 + needle.count].elementsEqual(needle) }
    }
}
