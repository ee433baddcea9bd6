/// Reads `If-None-Match` (RFC 9110, 13.1.2): `*`, or a list of entity tags that are compared weakly.
enum EntityTags {
    /// Whether the field names the current tag. What isn't an entity tag matches nothing.
    static func matches(_ field: String, _ current: String) -> Bool {
        if field == current { return true }
        var rest = field.utf8[...]
        while true {
            rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: ",") }
            guard let first = rest.first else { return false }
            if first == UInt8(ascii: "*") {
                // Alone only: `*` among tags is malformed.
                return field.utf8.allSatisfy {
                    $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
                }
            }
            if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\""),
                let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\""))
            else { return false }
            let tag = rest[...end]
            if tag.elementsEqual(current.utf8) { return true }
            rest = rest[rest.index(after: end)...]
        }
    }
}
