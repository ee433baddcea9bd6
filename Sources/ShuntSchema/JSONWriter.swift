/// Writes JSON text into bytes, in the order of the calls.
///
/// Commas are its business, nesting is the caller's: every `begin…` needs its `end…`.
public struct JSONWriter: Sendable {
    /// What has been written so far, UTF-8.
    public private(set) var bytes: [UInt8]
    private var needsComma = false

    /// A writer with room for the given number of bytes.
    public init(capacity: Int = 512) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Forgets what was written, and keeps the memory.
    public mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// Opens an object.
    public mutating func beginObject() { open("{") }

    /// Closes an object.
    public mutating func endObject() { close("}") }

    /// Opens an array.
    public mutating func beginArray() { open("[") }

    /// Closes an array.
    public mutating func endArray() { close("]") }

    /// Writes the name of the next value.
    public mutating func key(_ name: String) {
        separate()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes the name of the next value, which was made ready before.
    mutating func key(_ key: JSONKey) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        bytes.append(contentsOf: key.bytes)
        needsComma = false
    }

    /// Writes a text.
    public mutating func string(_ value: String) {
        separate()
        quote(value)
        needsComma = true
    }

    /// Writes a whole number.
    public mutating func integer(_ value: some BinaryInteger) {
        raw(String(value))
    }

    /// Writes a number; one that JSON can't express (infinite, not a number) becomes `null`.
    public mutating func number(_ value: Double) {
        raw(value.isFinite ? "\(value)" : "null")
    }

    /// Writes a truth value.
    public mutating func bool(_ value: Bool) {
        raw(value ? "true" : "false")
    }

    /// Writes `null`.
    public mutating func null() {
        raw("null")
    }

    /// Writes a named text, or nothing when there is none.
    public mutating func field(_ name: String, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }

    /// Writes a named whole number, or nothing when there is none.
    public mutating func field(_ name: String, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        key(name)
        integer(value)
    }

    /// Writes a named time, or nothing when there is none.
    public mutating func field(_ name: String, _ value: Timestamp?) {
        guard let value else { return }
        key(name)
        string(value.rfc3339)
    }

    /// Writes a named truth value, or nothing when there is none.
    public mutating func field(_ name: String, _ value: Bool?) {
        guard let value else { return }
        key(name)
        bool(value)
    }

    mutating func field(_ name: JSONKey, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }

    mutating func field(_ name: JSONKey, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        key(name)
        integer(value)
    }

    mutating func field(_ name: JSONKey, _ value: Timestamp?) {
        guard let value else { return }
        key(name)
        string(value.rfc3339)
    }

    /// Writes a value that is JSON already, byte for byte. That it is one value is the caller's to know.
    public mutating func json(_ value: [UInt8]) {
        separate()
        bytes += value
        needsComma = true
    }

    /// Writes a line feed between two texts, as NDJSON wants it.
    public mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    private mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    private mutating func raw(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if Self.isPlain(text) {
            bytes.append(contentsOf: text.utf8)
        } else {
            for byte in text.utf8 { escape(byte) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether no byte needs an escape. Looks at every byte without a branch: most texts are short, and all are hot.
    private static func isPlain(_ text: String) -> Bool {
        let span = text.utf8.span
        var found: UInt8 = 0
        for index in span.indices {
            let byte = span[index]
            found |= needsEscape(byte) ? 1 : 0
        }
        return found == 0
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
    }

    private mutating func escape(_ byte: UInt8) {
        guard Self.needsEscape(byte) else {
            bytes.append(byte)
            return
        }
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case UInt8(ascii: "\n"): bytes.append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): bytes.append(UInt8(ascii: "t"))
        default:
            bytes.append(contentsOf: "u00".utf8)
            for nibble in [byte >> 4, byte & 0xF] {
                bytes.append(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
            }
        }
    }
}

/// The name of a member with its quotes and colon: what is written for every event is made once.
struct JSONKey: Sendable {
    let bytes: [UInt8]

    /// A name that needs no escape.
    init(_ name: StaticString) {
        bytes = Array("\"\(name)\":".utf8)
    }
}
