internal import CSimdJSON

extension JSONDocument {
    /// What the value is.
    public func kind(of value: JSONValue) -> JSONKind {
        let node = node(value)
        return switch csj_kind(UInt32(node.kind)) {
        case CSJ_FALSE, CSJ_TRUE: .bool
        case CSJ_INTEGER: .integer
        case CSJ_NUMBER: .number
        case CSJ_STRING: .string
        case CSJ_ARRAY: .array
        case CSJ_OBJECT: .object
        default: .null
        }
    }

    /// How many values are inside an array or object; 0 for anything else.
    public func count(of value: JSONValue) -> Int {
        let node = node(value)
        return node.kind >= UInt8(CSJ_ARRAY.rawValue) ? Int(node.bits) : 0
    }

    /// The values inside an array or object; none for anything else.
    public func children(of value: JSONValue) -> JSONChildren {
        JSONChildren(index: value.index + 1, end: node(value).next)
    }

    /// The member with this key, or nil. Looks at every member: for a few keys, off the hot path.
    public func member(_ key: String, of value: JSONValue) -> JSONValue? {
        guard kind(of: value) == .object else { return nil }
        var members = children(of: value)
        while let member = members.next(in: self) {
            if keyEquals(key, of: member) { return member }
        }
        return nil
    }

    /// Where the value stands in the input, in bytes: what is inside is included, white space around it isn't.
    public func sourceRange(of value: JSONValue) -> Range<Int> {
        let node = node(value)
        return base + Int(node.source_start)..<base + Int(node.source_end)
    }

    /// A copy of the value's bytes as they were sent.
    public func source(of value: JSONValue) -> [UInt8] {
        unsafe Array(source(node(value)))
    }

    // MARK: Keys

    /// The key of a member; empty for a value that isn't inside an object.
    public func key(of member: JSONValue) -> String {
        unsafe String(decoding: keyBytes(member), as: UTF8.self)
    }

    /// The number of a member's key in the vocabulary, or nil for another key: the way to read known keys fast.
    public func keyNumber(of member: JSONValue, in vocabulary: borrowing JSONVocabulary) -> Int? {
        let node = node(member)
        return unsafe vocabulary.number(of: text(node.key_offset, node.key_length), hash: node.key_hash)
    }

    /// Whether a member's key is the given one.
    public func keyEquals(_ key: String, of member: JSONValue) -> Bool {
        unsafe JSONDocument.equal(keyBytes(member), key)
    }

    /// Lends a member's key as UTF-8.
    public func withKey<Result, Failure: Error>(
        of member: JSONValue,
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe Span(_unsafeElements: keyBytes(member)))
    }

    // MARK: Scalars

    /// The string, unescaped; nil if the value isn't one. Up to 15 bytes cost no heap.
    public func string(of value: JSONValue) -> String? {
        guard let bytes = unsafe stringBytes(value) else { return nil }
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    /// How many bytes of UTF-8 the unescaped string has; nil if the value isn't one.
    public func utf8Count(of value: JSONValue) -> Int? {
        unsafe stringBytes(value)?.count
    }

    /// Lends the unescaped string as UTF-8; nil if the value isn't one.
    public func withString<Result, Failure: Error>(
        of value: JSONValue,
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let bytes = unsafe stringBytes(value) else { return nil }
        return try body(unsafe Span(_unsafeElements: bytes))
    }

    /// The number of a string in the vocabulary; nil for another string and for what isn't one.
    public func stringNumber(of value: JSONValue, in vocabulary: borrowing JSONVocabulary) -> Int? {
        guard let bytes = unsafe stringBytes(value) else { return nil }
        return unsafe vocabulary.number(of: bytes, hash: csj_hash(bytes.baseAddress, bytes.count))
    }

    /// Whether the value is the given string.
    public func stringEquals(_ text: String, of value: JSONValue) -> Bool {
        guard let bytes = unsafe stringBytes(value) else { return false }
        return unsafe JSONDocument.equal(bytes, text)
    }

    /// The integer, exact; nil for what isn't one, has a fraction or exponent, or doesn't fit.
    public func int64(of value: JSONValue) -> Int64? {
        let node = node(value)
        return node.kind == UInt8(CSJ_INTEGER.rawValue) ? Int64(bitPattern: node.bits) : nil
    }

    /// The nearest double; nil for what isn't a number or is beyond a double's range.
    public func double(of value: JSONValue) -> Double? {
        let node = node(value)
        switch csj_kind(UInt32(node.kind)) {
        case CSJ_INTEGER:
            return Double(Int64(bitPattern: node.bits))
        case CSJ_NUMBER:
            let double = Double(bitPattern: node.bits)
            return double.isFinite ? double : nil
        default:
            return nil
        }
    }

    /// The number exactly as it was sent, for what must not be rounded; nil if the value isn't one.
    public func numberText(of value: JSONValue) -> String? {
        let node = node(value)
        guard node.kind == UInt8(CSJ_INTEGER.rawValue) || node.kind == UInt8(CSJ_NUMBER.rawValue) else { return nil }
        return unsafe String(decoding: source(node), as: UTF8.self)
    }

    /// The truth value; nil if the value isn't one.
    public func bool(of value: JSONValue) -> Bool? {
        switch csj_kind(UInt32(node(value).kind)) {
        case CSJ_TRUE: true
        case CSJ_FALSE: false
        default: nil
        }
    }

    /// Whether the value is `null`.
    public func isNull(_ value: JSONValue) -> Bool { node(value).kind == UInt8(CSJ_NULL.rawValue) }

    // MARK: Inside

    /// The place after a value and all that is inside it.
    func successor(of value: JSONValue) -> UInt32 { node(value).next }

    private func keyBytes(_ member: JSONValue) -> UnsafeBufferPointer<UInt8> {
        let node = node(member)
        return unsafe text(node.key_offset, node.key_length)
    }

    private func stringBytes(_ value: JSONValue) -> UnsafeBufferPointer<UInt8>? {
        let node = node(value)
        guard node.kind == UInt8(CSJ_STRING.rawValue) else { return nil }
        return unsafe text(UInt32(truncatingIfNeeded: node.bits), UInt32(node.bits >> 32))
    }

    private static func equal(_ bytes: UnsafeBufferPointer<UInt8>, _ text: String) -> Bool {
        unsafe text.utf8.count == bytes.count && text.utf8.elementsEqual(bytes)
    }
}
