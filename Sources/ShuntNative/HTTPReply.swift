internal import CMicroHTTPD
internal import Glibc

/// A whole reply: status, header fields and body.
///
/// A reply is immutable and may be sent any number of times, from any loop: build one for an answer that repeats
/// (a switch document, its 304) and hand out the same instance; sending it again copies nothing.
/// `Date`, `Content-Length` and `Connection` are the transport's and mustn't be given.
public final class HTTPReply: Sendable {
    /// Status code, 200 to 599.
    public let status: Int
    /// Header fields in the order sent.
    public let headers: [(name: String, value: String)]
    /// The body; empty with 204 and 304.
    public let body: [UInt8]

    private let response: HTTPReplyResponse

    /// Builds a reply. A name that isn't a token, or one of the transport's own, is a programmer's error and traps;
    /// control characters in a value become spaces.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        precondition((200...599).contains(status), "not a final status: \(status)")
        let clean = headers.map { (name: $0.name, value: Self.clean($0.value)) }
        self.status = status
        self.headers = clean
        self.body = status == 204 || status == 304 ? [] : body
        response = HTTPReplyResponse(headers: clean, body: self.body)
    }

    /// The 304 of a reply: its fields but those that describe the body (RFC 9110 15.4.5).
    ///
    /// The library writes `Content-Length: 0`, where the RFC wants the length of the body or none. The length of the
    /// body would be worse: parsers in use (that of wrk, for one) then wait for a body.
    public static func notModified(_ reply: HTTPReply) -> HTTPReply {
        let headers = reply.headers.filter { field in
            let name = field.name.lowercased()
            return name == "content-location" || !(name.hasPrefix("content-") || name == "last-modified")
        }
        return HTTPReply(status: 304, headers: headers)
    }

    /// Hands the reply to the library; false if it can't be queued, which leaves the connection to be closed.
    func queue(on connection: OpaquePointer) -> Bool {
        unsafe response.queue(status: status, on: connection)
    }

    /// The reply as bytes on the wire, with `Connection: close`.
    func closingBytes() -> [UInt8] {
        Self.head(status: status, headers: headers + [("Content-Length", String(body.count))]) + body
    }

    /// The head of a reply as bytes on the wire, with `Connection: close`.
    static func head(status: Int, headers: [(name: String, value: String)]) -> [UInt8] {
        let reason = unsafe String(cString: MHD_get_reason_phrase_for(UInt32(status)))
        var head =
            "HTTP/1.1 \(status) \(reason)\r\nDate: \(HTTPClock.date(secondsSince1970: time(nil)))\r\nConnection: close\r\n"
        for (name, value) in headers { head += "\(name): \(clean(value))\r\n" }
        return Array(head.utf8) + [0x0d, 0x0a]
    }

    private static func clean(_ value: String) -> String {
        guard value.utf8.contains(where: { !HTTPBytes.isField($0) }) else { return value }
        return String(decoding: value.utf8.map { HTTPBytes.isField($0) ? $0 : 0x20 }, as: UTF8.self)
    }
}

/// The library's form of a reply. Nothing changes it once it's built, and the library counts its users under a lock of
/// its own, so that any thread may use it; its address is kept as a number because pointers are never `Sendable`.
private struct HTTPReplyResponse: ~Copyable, Sendable {
    private let address: UInt

    private var handle: OpaquePointer? { unsafe OpaquePointer(bitPattern: address) }

    init(headers: [(name: String, value: String)], body: [UInt8]) {
        let created = unsafe body.withUnsafeBytes { unsafe shunt_http_response($0.baseAddress, $0.count) }
        guard let created = unsafe created else { preconditionFailure("out of memory") }
        address = UInt(bitPattern: created)
        // The library refuses an empty value, which HTTP allows and nobody needs.
        for (name, value) in headers where !value.isEmpty {
            precondition(name.utf8.allSatisfy(HTTPBytes.isToken), "not the name of a field: \(name)")
            let added = unsafe MHD_add_response_header(created, name, value)
            precondition(added == .YES, "not a field of a reply: \(name)")
        }
    }

    deinit {
        unsafe MHD_destroy_response(handle)
    }

    func queue(status: Int, on connection: OpaquePointer) -> Bool {
        unsafe MHD_queue_response(connection, UInt32(status), handle) == .YES
    }
}
