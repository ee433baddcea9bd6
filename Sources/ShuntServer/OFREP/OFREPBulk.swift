internal import ShuntNative
internal import ShuntSchema

/// All switches of an environment, evaluated for one payer.
struct OFREPBulk {
    /// How long an app may be in the background before its client closes the stream, in seconds: the protocol's
    /// default.
    private static let inactivityDelaySec = 120

    let body: [UInt8]

    /// The flags stand in the order of their keys and nothing in the body changes by itself, so that equal answers are
    /// equal bytes.
    init(_ document: SwitchDocument, for attributes: [String: String]) {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.key("flags")
        writer.beginArray()
        for status in document.switches.sorted(by: { $0.key < $1.key }) {
            writer.write(OFREPEvaluation(of: status, for: attributes), in: document)
        }
        writer.endArray()
        writer.key("eventStreams")
        writer.beginArray()
        writer.beginObject()
        writer.field("type", "sse")
        writer.key("endpoint")
        writer.beginObject()
        writer.field("requestUri", Self.streamAddress(document.environment))
        writer.endObject()
        writer.field("inactivityDelaySec", Self.inactivityDelaySec)
        writer.endObject()
        writer.endArray()
        writer.key("metadata")
        writer.beginObject()
        writer.field("switchVersion", document.version)
        writer.field("epoch", document.epoch)
        writer.field("environment", document.environment)
        writer.field("pollAfterSec", document.pollAfterSec)
        writer.endObject()
        writer.endObject()
        body = writer.bytes
    }

    /// The answer to a request with this `If-None-Match`: 304 if it names this very body.
    ///
    /// The validator covers all of the body and with it all that the context changed, since clients go on sending the
    /// one they have when an attribute changes (open-feature/flagd#2012). A precondition that fails on a POST would be
    /// 412 by RFC 9110, 13.2.2; the protocol wants 304.
    func reply(ifNoneMatch: String?) -> HTTPReply {
        let etag = "\"\(Digest.sha256(body).hexadecimal.prefix(32))\""
        let fields = [("ETag", etag), ("Cache-Control", "private, no-cache")] + CrossOrigin.fields
        if let ifNoneMatch, EntityTags.matches(ifNoneMatch, etag) { return HTTPReply(status: 304, headers: fields) }
        return HTTPReply(status: 200, headers: [("Content-Type", "application/json")] + fields, body: body)
    }

    /// The stream that tells of the environment's versions, seen from wherever the client reaches this daemon.
    static func streamAddress(_ environment: String) -> String {
        var address = "/v1/switches/stream?environment="
        for byte in environment.utf8 {
            if isUnreserved(byte) {
                address.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                address += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return address
    }

    /// RFC 3986, 2.3.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || "-._~".utf8.contains(byte)
    }
}
