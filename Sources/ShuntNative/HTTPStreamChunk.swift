/// Bytes for a stream, framed once and sent any number of times.
public struct HTTPStreamChunk: Sendable, Equatable {
    /// Length, bytes and line end, as RFC 9112 7.1 frames them.
    private let framed: [UInt8]
    private let headBytes: Int

    /// The chunk that ends a stream.
    static let last: [UInt8] = Array("0\r\n\r\n".utf8)

    /// An empty chunk would end the stream, so it traps.
    public init(_ bytes: [UInt8]) {
        precondition(!bytes.isEmpty, "a chunk without bytes")
        let head = Array("\(String(bytes.count, radix: 16))\r\n".utf8)
        headBytes = head.count
        framed = head + bytes + [0x0d, 0x0a]
    }

    /// The bytes on the wire; a client of HTTP/1.0 gets them without a frame.
    func bytes(isChunked: Bool) -> ArraySlice<UInt8> {
        isChunked ? framed[...] : framed[headBytes..<framed.count - 2]
    }
}
