/// What may be handed to libcurl, which would put line breaks in headers on the wire as they are.
enum HTTPTransferRules {
    static func check(_ request: HTTPTransfer.Request) throws(HTTPTransferError) {
        guard isToken(request.method) else { throw invalid("the method isn't a token") }
        let scheme = request.url.prefix { $0 != ":" }.lowercased()
        guard scheme == "http" || scheme == "https" else { throw invalid("the URL isn't http or https") }
        guard request.url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw invalid("the URL has characters that must be percent-encoded")
        }
        for header in request.headers {
            guard isToken(header.name) else { throw invalid("the header name \(header.name) isn't a token") }
            guard header.value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }) else {
                throw invalid("the header \(header.name) has a control character")
            }
        }
    }

    /// The body to send: methods that usually carry one say that it's empty, and HEAD has none.
    static func body(of request: HTTPTransfer.Request) -> [UInt8]? {
        switch request.method {
        case "HEAD": nil
        case "POST", "PUT", "PATCH": request.body ?? []
        default: request.body
        }
    }

    /// Whether the URL's host is this machine.
    static func isLoopback(_ url: String) -> Bool {
        let authority = url.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let hostAndPort = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        if hostAndPort.hasPrefix("[") { return hostAndPort.hasPrefix("[::1]") }
        let host = hostAndPort.prefix { $0 != ":" }.lowercased()
        return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.")
    }

    /// A token of RFC 9110, section 5.6.2.
    private static func isToken(_ text: String) -> Bool {
        let marks = "!#$%&'*+-.^_`|~".utf8
        return !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || marks.contains(byte)
            }
    }

    private static func invalid(_ detail: String) -> HTTPTransferError {
        HTTPTransferError(.invalidRequest, detail: detail, mayHaveBeenSent: false)
    }
}
