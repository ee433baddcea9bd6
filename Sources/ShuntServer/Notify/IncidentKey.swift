internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// What makes two notices one incident: the rule and the identity of the alert, never a count or a time, so that a
/// resend, or the same failure after a restart, opens no second one.
enum IncidentKey {
    /// 64 hexadecimal digits: the SHA-256 of the JSON array of the rule and each name and value.
    static func text(of notice: Notice) -> String {
        var writer = JSONWriter(capacity: 256)
        writer.beginArray()
        writer.string(notice.alert?.rule ?? "")
        for attribute in notice.identity {
            writer.string(attribute.name)
            writer.string(attribute.value)
        }
        // A test must not open or close the real thing.
        if notice.isTest { writer.string("test") }
        writer.endArray()
        return Digest.sha256(writer.bytes).hexadecimal
    }
}
