internal import CMicroHTTPD
internal import Glibc

/// The library's memory for a connection: one block, for the head as it came in, a record for each field and cookie, and
/// the head of the reply. If the last doesn't fit any more, the library closes the connection without a reply.
enum HTTPMemory {
    /// Kept for the head of a reply.
    private static let replyBytes = 1536
    /// The library's record of a field: seven words, rounded up.
    private static let recordBytes = 64

    /// How large the block is.
    static func size(_ configuration: HTTPServerConfiguration) -> Int { configuration.maximumHeaderBytes + 2048 }

    /// Whether a request leaves enough of the block for the head of its reply.
    static func suffices(
        for handle: OpaquePointer,
        headSize: Int,
        fieldCount: Int,
        _ configuration: HTTPServerConfiguration
    ) -> Bool {
        var needed = headSize + fieldCount * recordBytes + replyBytes
        let cookieCount = Int(unsafe MHD_get_connection_values(handle, .COOKIE_KIND, nil, nil))
        if cookieCount > 0, let cookie = unsafe MHD_lookup_connection_value(handle, .HEADER_KIND, "Cookie") {
            // Cookies are taken apart in a copy.
            needed += cookieCount * recordBytes + (unsafe strlen(cookie))
        }
        return needed <= size(configuration)
    }
}
