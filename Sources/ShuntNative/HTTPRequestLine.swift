internal import CMicroHTTPD
internal import Glibc

/// The request line as the library has it: pointers into the buffer that holds the whole head.
@unsafe
struct HTTPRequestLine {
    /// The method, and the beginning of the head.
    var method: UnsafePointer<CChar>
    /// The target, up to its `?`.
    var target: UnsafePointer<CChar>
    /// `HTTP/1.1` or the like.
    var version: UnsafePointer<CChar>

    /// The head; nil if it's malformed, or if the library has understood something else than what stands there.
    ///
    /// The library takes the head apart in place: it writes a NUL over each separator. So the head is read again here,
    /// strictly, as what it must then be: method NUL target NUL version NUL NUL fields NUL NUL. `fieldCount` is how many
    /// fields the library found.
    func head(
        size: Int,
        target parsed: HTTPTarget,
        targetLength: Int,
        fieldCount: Int,
        remoteAddress: HTTPRemoteAddress
    ) -> HTTPRequestHead? {
        let methodLength = unsafe strlen(method)
        // Distances, so that nothing is read that isn't in the buffer.
        guard unsafe target == method + methodLength + 1, unsafe version == target + targetLength + 1,
            unsafe strlen(version) == 8
        else { return nil }
        let lineLength = methodLength + 1 + targetLength + 1 + 8
        guard size >= lineLength + 4 else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: method, count: size).bindMemory(to: UInt8.self)
        let span = unsafe bytes.span
        guard span[lineLength] == 0, span[lineLength + 1] == 0, span[size - 2] == 0, span[size - 1] == 0 else {
            return nil
        }
        let version = span.extracting(lineLength - 8..<lineLength)
        let isVersion11 = HTTPBytes.equal(version, "HTTP/1.1")
        guard isVersion11 || HTTPBytes.equal(version, "HTTP/1.0") else { return nil }
        let fieldRange = lineLength + 2..<size - 2
        guard let method = HTTPMethod(span.extracting(0..<methodLength)),
            let framing = HTTPHeaderFields.framing(of: span.extracting(fieldRange)),
            framing.count == fieldCount
        else { return nil }
        // RFC 9112 3.2 and 6.1.
        guard framing.hosts == 1 || (framing.hosts == 0 && !isVersion11) else { return nil }
        guard isVersion11 || !framing.isChunked else { return nil }
        return HTTPRequestHead(
            method: method,
            omitsBody: methodLength == 4 && method == .get,
            takesChunks: isVersion11,
            target: parsed,
            fields: HTTPHeaderFields(bytes: unsafe Array(bytes[fieldRange])),
            framing: framing,
            remoteAddress: remoteAddress
        )
    }

    /// Why the library refuses a request whose head is complete: a `Content-Length` that it can't read or that is
    /// beyond its integers, or no memory left to take a cookie apart.
    static func refusal(of handle: OpaquePointer) -> HTTPRefusal {
        let value = unsafe MHD_lookup_connection_value(handle, .HEADER_KIND, "Content-Length")
        guard let value = unsafe value else { return .headTooLarge }
        let text = unsafe Array(String(cString: value).utf8)
        if HTTPHeaderFields.length(text.span) != nil { return .headTooLarge }
        let isNumber = !text.isEmpty && text.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? .bodyTooLarge : .malformed
    }
}
