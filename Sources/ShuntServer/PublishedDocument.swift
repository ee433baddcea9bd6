internal import ShuntNative
internal import ShuntSchema

/// A document, and each of its switches alone, ready to be sent.
struct PublishedDocument: Sendable {
    let document: SwitchDocument
    /// All switches.
    let whole: Representation
    /// What streams say of it.
    let notice: HTTPStreamChunk
    private let single: [String: Representation]

    var version: UInt64 { document.version }

    /// - Parameter signer: signs the answers, if there is one.
    init(_ document: SwitchDocument, isPublic: Bool, signer: DocumentSigner? = nil) {
        self.document = document
        whole = Representation(document.json(), isPublic: isPublic, signer: signer)
        notice = HTTPStreamChunk(Self.notice(of: document, etag: whole.etag))
        var single: [String: Representation] = [:]
        for status in document.switches {
            guard let body = document.json(key: status.key) else { continue }
            single[status.key] = Representation(body, isPublic: isPublic, signer: signer)
        }
        self.single = single
    }

    /// One switch, or all of them when none is named; nil when there is no such switch.
    func representation(of key: String?) -> Representation? {
        guard let key else { return whole }
        return single[key]
    }

    /// What a stream begins with: how long its client is to wait before it connects again, and the version that there
    /// is, so that whoever comes back sees whether it has missed any.
    func greeting(retryMs: Int) -> HTTPStreamChunk {
        HTTPStreamChunk(Array("retry: \(retryMs)\n".utf8) + Self.notice(of: document, etag: whole.etag))
    }

    /// A message of an event stream (the WHATWG's HTML, 9.2), as OFREP's clients understand it: there is something to
    /// be fetched. The version lets whoever fetches too early, from a cache that lags behind, see that and go on.
    private static func notice(of document: SwitchDocument, etag: String) -> [UInt8] {
        var data = JSONWriter(capacity: 160)
        data.beginObject()
        data.field("type", "refetchEvaluation")
        data.field("etag", etag)
        data.field("epoch", document.epoch)
        data.field("version", document.version)
        data.endObject()
        let head = "id: \(document.epoch)-\(document.version)\nevent: message\ndata: "
        return Array(head.utf8) + data.bytes + Array("\n\n".utf8)
    }
}

/// A cacheable body with its validator: the replies for it are made once and sent any number of times.
struct Representation: Sendable {
    /// Clients, and shared caches if it is public, may use it for 5 s, and go on with it for 10 minutes when the daemon
    /// is away.
    private static let cacheControl = "max-age=5, stale-while-revalidate=30, stale-if-error=600"

    /// Strong, quoted: a hash of the body, and of its signature where there is one, so that caches hand out no signature
    /// of a key that is gone.
    let etag: String
    /// 200 with the body and its signature.
    let found: HTTPReply
    /// 304. Without the signature: whoever gets it has the body together with that.
    let notModified: HTTPReply

    init(_ body: [UInt8], isPublic: Bool = true, signer: DocumentSigner? = nil) {
        let signature = signer.map { $0.field(for: body) }
        let tagged = body + (signature.map { Array($0.utf8) } ?? [])
        etag = "\"\(Digest.sha256(tagged).hexadecimal.prefix(32))\""
        let cacheControl = "\(isPublic ? "public" : "private"), \(Self.cacheControl)"
        let validators = [("ETag", etag), ("Cache-Control", cacheControl)] + CrossOrigin.fields
        var fields = [("Content-Type", "application/json")] + validators
        if let signature { fields.append((DocumentSigner.field, signature)) }
        found = HTTPReply(status: 200, headers: fields, body: body)
        notModified = HTTPReply(status: 304, headers: validators)
    }

    /// The reply to a request that carries this `If-None-Match`, if any.
    func reply(ifNoneMatch: String?) -> HTTPReply {
        guard let ifNoneMatch, EntityTags.matches(ifNoneMatch, etag) else { return found }
        return notModified
    }
}
