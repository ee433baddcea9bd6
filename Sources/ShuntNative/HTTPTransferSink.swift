/// Takes what libcurl receives, within limits.
struct HTTPTransferSink {
    /// More header bytes than any honest server sends.
    private static let maximumHeaderBytes = 64 << 10

    let maximumBytes: Int
    private(set) var headers: [HTTPTransfer.Header] = []
    private(set) var body: [UInt8] = []
    private(set) var isOverfull = false
    /// Whether the empty line came; libcurl is content without it when the peer closes.
    private(set) var isHeadComplete = false
    private var headerBytes = 0

    init(maximumBytes: Int) { self.maximumBytes = max(0, maximumBytes) }

    /// Takes a part of the body; false stops the transfer.
    mutating func take(body bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count <= maximumBytes - body.count else {
            isOverfull = true
            return false
        }
        unsafe body.append(contentsOf: bytes)
        return true
    }

    /// Takes a line of the head; false stops the transfer.
    mutating func take(line bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= HTTPTransferSink.maximumHeaderBytes else {
            isOverfull = true
            return false
        }
        let line = unsafe String(decoding: bytes, as: UTF8.self)
        // A status line starts a new head: what came before belongs to a 100 Continue.
        if line.hasPrefix("HTTP/") {
            headers = []
            isHeadComplete = false
        } else if isHeadComplete {
            // A trailer: nobody asked for one.
        } else if let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) {
            let value = line[line.utf8.index(after: colon)...]
            headers.append(HTTPTransfer.Header(String(line[..<colon]), HTTPTransferSink.trimmed(value)))
        } else {
            isHeadComplete = HTTPTransferSink.trimmed(line[...]).isEmpty
        }
        return true
    }

    private static func trimmed(_ text: Substring) -> String {
        var bytes = text.utf8
        func isSpace(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
        while isSpace(bytes.first) { bytes.removeFirst() }
        while isSpace(bytes.last) { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
