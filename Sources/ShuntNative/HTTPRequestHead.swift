/// Request line and header fields of a request, copied out of the connection; valid for as long as it's held.
public struct HTTPRequestHead: Sendable {
    /// The method; `HEAD` shows as `.get` with `omitsBody`.
    public let method: HTTPMethod
    /// Whether the reply's body won't be sent (`HEAD`).
    public let omitsBody: Bool
    /// The path, percent-decoded, without the query; begins with `/` (or is `*`).
    public let path: String
    /// `Content-Length` as declared; nil with a chunked body or with none.
    public let declaredLength: Int?
    /// Whether a body follows, declared with a length above 0 or chunked.
    public let hasBody: Bool
    /// The peer of the TCP connection.
    public let remoteAddress: HTTPRemoteAddress

    /// Whether a reply of unknown length may be chunked: from HTTP/1.1 on.
    let takesChunks: Bool
    /// The query as sent, without `?`.
    let rawQuery: [UInt8]
    /// The header fields.
    let fields: HTTPHeaderFields

    init(
        method: HTTPMethod,
        omitsBody: Bool,
        takesChunks: Bool,
        target: HTTPTarget,
        fields: HTTPHeaderFields,
        framing: HTTPHeaderFields.Framing,
        remoteAddress: HTTPRemoteAddress
    ) {
        self.method = method
        self.omitsBody = omitsBody
        self.takesChunks = takesChunks
        path = target.path
        rawQuery = target.query
        self.fields = fields
        declaredLength = framing.declaredLength
        hasBody = framing.isChunked || (framing.declaredLength ?? 0) > 0
        self.remoteAddress = remoteAddress
    }

    /// Makes a head as if it had been received, for tests of an application; a malformed target or field traps.
    public init(
        method: HTTPMethod,
        target: String,
        headers: [(name: String, value: String)] = [],
        declaredLength: Int? = nil,
        remoteAddress: HTTPRemoteAddress = .loopback
    ) {
        let fields = HTTPHeaderFields(headers)
        guard let target = HTTPTarget(Array(target.utf8).span),
            var framing = HTTPHeaderFields.framing(of: fields.bytes.span)
        else { preconditionFailure("malformed target or field") }
        framing.declaredLength = declaredLength ?? framing.declaredLength
        self.init(
            method: method,
            omitsBody: false,
            takesChunks: true,
            target: target,
            fields: fields,
            framing: framing,
            remoteAddress: remoteAddress
        )
    }

    /// The value of a header field, without surrounding white space; names are compared without case.
    ///
    /// A field sent several times is joined with `, `, as RFC 9110 5.3 allows for lists.
    public func header(_ name: StaticString) -> String? { fields.value(name) }

    /// The first value of a query parameter, percent-decoded (`+` is a space); nil if it isn't there.
    public func query(_ name: String) -> String? {
        guard !rawQuery.isEmpty else { return nil }
        var found: String?
        HTTPTarget.forEachPair(in: rawQuery) { pairName, value in
            if pairName == name { found = value }
            return found == nil
        }
        return found
    }

    /// All query parameters, decoded, in order.
    public var queryPairs: [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        HTTPTarget.forEachPair(in: rawQuery) { name, value in
            pairs.append((name, value))
            return true
        }
        return pairs
    }
}
