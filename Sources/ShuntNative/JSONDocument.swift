internal import CSimdJSON

/// A strict JSON parser together with the document that it read last.
///
/// It owns its buffers and reuses them, so keep one per thread or in a pool and parse many documents with it. What it
/// reads stays until the next `parse`. Values are addressed by `JSONValue`; one from an earlier document reads
/// another value or traps, never foreign memory.
///
/// Refused, with the byte where it happens: duplicate keys at any level (compared after unescaping), invalid UTF-8,
/// lone surrogates, control characters, a byte order mark, trailing bytes, and whatever exceeds the limits.
@safe
public struct JSONDocument: ~Copyable {
    /// What a document may ask for.
    public let limits: JSONLimits

    private let handle: OpaquePointer
    private(set) var view = unsafe csj_view()
    /// Where the parsed range starts in the caller's bytes.
    private(set) var base = 0

    /// An empty document with the given limits.
    public init(limits: JSONLimits = JSONLimits()) {
        let native = csj_limits(
            depth: UInt32(limits.depth),
            values: UInt32(limits.values),
            bytes: UInt32(limits.bytes),
            allows_nul: limits.allowsEscapedNUL ? 1 : 0
        )
        // Some hundred bytes: where these aren't to be had, nothing of the process works any more.
        guard let handle = unsafe csj_create(native) else { preconditionFailure("no memory for a JSON parser") }
        self.limits = limits
        unsafe self.handle = handle
    }

    deinit { unsafe csj_destroy(handle) }

    /// Replaces the content by the document in these bytes.
    public mutating func parse(_ bytes: [UInt8]) throws(JSONError) {
        try parse(bytes.span)
    }

    /// Replaces the content by the document in a part of these bytes, such as a line of NDJSON.
    ///
    /// Offsets and source ranges count from the start of `bytes`, not of the part.
    public mutating func parse(_ bytes: [UInt8], in range: Range<Int>) throws(JSONError) {
        try parse(bytes.span.extracting(range), base: range.lowerBound)
    }

    /// Replaces the content by the document in these bytes; offsets are counted from `base`.
    public mutating func parse(_ bytes: Span<UInt8>, base: Int = 0) throws(JSONError) {
        self.base = base
        let handle = unsafe handle
        var view = unsafe csj_view()
        let status = unsafe bytes.withUnsafeBufferPointer {
            unsafe csj_parse(handle, $0.baseAddress, $0.count, &view)
        }
        unsafe self.view = view
        switch status {
        case CSJ_ACCEPTED:
            return
        case CSJ_OUT_OF_MEMORY:
            throw JSONError(.outOfMemory, at: base, expected: "memory for \(bytes.count) bytes")
        default:
            throw JSONDiagnosis.explain(bytes, limits: limits, base: base)
        }
    }

    /// Gives the memory of big documents back and forgets the content.
    ///
    /// A document costs some five times its size, and a parser keeps what its biggest one needed.
    public mutating func trim() {
        unsafe csj_trim(handle)
        unsafe view = csj_view()
    }

    /// How many values the document holds; 0 before the first successful `parse`.
    public var valueCount: Int { unsafe Int(view.node_count) }

    /// The document's outermost value. Traps if nothing has been parsed.
    public var root: JSONValue { value(at: 0) }

    /// The value at a place of the document's order.
    func value(at index: UInt32) -> JSONValue {
        unsafe precondition(index < view.node_count, "no such value in this document")
        return JSONValue(index: index)
    }

    /// The node behind a value, checked.
    func node(_ value: JSONValue) -> csj_node {
        unsafe precondition(value.index < view.node_count, "no such value in this document")
        return unsafe view.nodes[Int(value.index)]
    }

    /// Some bytes of the unescaped text.
    func text(_ offset: UInt32, _ length: UInt32) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: view.bytes + Int(offset), count: Int(length))
    }

    /// The value's bytes as they were sent.
    func source(_ node: csj_node) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(
            start: view.bytes + Int(node.source_start),
            count: Int(node.source_end - node.source_start)
        )
    }
}
