/// Writes values in Shunt's own binary form: little-endian, lengths before contents, no padding, no choice.
///
/// The same value is always the same bytes, so a digest of them tells two states apart.
struct StateWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ value: UInt64) {
        // Without a loop: a state is written as millions of these.
        bytes.append(UInt8(truncatingIfNeeded: value))
        bytes.append(UInt8(truncatingIfNeeded: value &>> 8))
        bytes.append(UInt8(truncatingIfNeeded: value &>> 16))
        bytes.append(UInt8(truncatingIfNeeded: value &>> 24))
        bytes.append(UInt8(truncatingIfNeeded: value &>> 32))
        bytes.append(UInt8(truncatingIfNeeded: value &>> 40))
        bytes.append(UInt8(truncatingIfNeeded: value &>> 48))
        bytes.append(UInt8(truncatingIfNeeded: value &>> 56))
    }

    mutating func write(_ value: Int64) { write(UInt64(bitPattern: value)) }
    mutating func write(_ value: Int) { write(Int64(value)) }
    mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }

    mutating func write(_ value: String) {
        write(value.utf8.count)
        bytes.append(contentsOf: value.utf8)
    }

    mutating func write(_ value: some StateCodable) { value.encode(to: &self) }
    mutating func write(_ value: some RawRepresentable<String>) { write(value.rawValue) }

    mutating func write<Element>(_ values: [Element], _ writeOne: (inout StateWriter, Element) -> Void) {
        write(values.count)
        for value in values { writeOne(&self, value) }
    }

    mutating func write<Wrapped>(_ value: Wrapped?, _ writeSome: (inout StateWriter, Wrapped) -> Void) {
        write(value != nil)
        if let value { writeSome(&self, value) }
    }
}

/// Reads what `StateWriter` wrote.
struct StateReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func readUInt64() throws(StateBytesError) -> UInt64 {
        guard bytes.count - position >= 8 else { throw .truncated }
        var value: UInt64 = 0
        for offset in 0..<8 { value |= UInt64(bytes[position + offset]) << (8 * UInt64(offset)) }
        position += 8
        return value
    }

    mutating func readInt64() throws(StateBytesError) -> Int64 { Int64(bitPattern: try readUInt64()) }
    mutating func readInt() throws(StateBytesError) -> Int { Int(try readInt64()) }

    mutating func readBool() throws(StateBytesError) -> Bool {
        guard position < bytes.count else { throw .truncated }
        defer { position += 1 }
        switch bytes[position] {
        case 0: return false
        case 1: return true
        default: throw .malformed
        }
    }

    mutating func readString() throws(StateBytesError) -> String {
        let count = try readCount()
        guard let text = String(validating: bytes[position..<position + count], as: UTF8.self) else {
            throw .malformed
        }
        position += count
        return text
    }

    mutating func read<Value: StateCodable>(_ type: Value.Type = Value.self) throws(StateBytesError) -> Value {
        try Value(from: &self)
    }

    mutating func readCase<Value: RawRepresentable<String>>(
        _ type: Value.Type = Value.self
    ) throws(StateBytesError) -> Value {
        guard let value = Value(rawValue: try readString()) else { throw .malformed }
        return value
    }

    mutating func readArray<Element>(
        _ readOne: (inout StateReader) throws(StateBytesError) -> Element
    ) throws(StateBytesError) -> [Element] {
        let count = try readCount()
        var values: [Element] = []
        for _ in 0..<count { values.append(try readOne(&self)) }
        return values
    }

    mutating func readOptional<Wrapped>(
        _ readSome: (inout StateReader) throws(StateBytesError) -> Wrapped
    ) throws(StateBytesError) -> Wrapped? {
        try readBool() ? try readSome(&self) : nil
    }

    /// A count of things that take at least a byte each, so that a damaged one can't ask for all memory.
    private mutating func readCount() throws(StateBytesError) -> Int {
        let count = try readInt64()
        guard count >= 0, count <= Int64(bytes.count - position) else { throw .truncated }
        return Int(count)
    }
}

/// A value that has a binary form.
protocol StateCodable {
    func encode(to writer: inout StateWriter)
    init(from reader: inout StateReader) throws(StateBytesError)
}

/// Why bytes can't be read as a state or an input.
public enum StateBytesError: Error, Equatable, Sendable {
    /// They end too early.
    case truncated
    /// They hold something that no version of Shunt writes there.
    case malformed
    /// They were written by another version, in a form that this one doesn't read.
    case unknownFormat
}
