extension Condition: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(dimension)
        switch test {
        case .oneOf(let values):
            writer.write("oneOf")
            writer.write(values) { $0.write($1) }
        case .noneOf(let values):
            writer.write("noneOf")
            writer.write(values) { $0.write($1) }
        case .prefix(let values):
            writer.write("prefix")
            writer.write(values) { $0.write($1) }
        case .versions(let range):
            writer.write("versions")
            writer.write(range.lower) { $0.write($1) }
            writer.write(range.upper) { $0.write($1) }
        case .numbers(let range):
            writer.write("numbers")
            writer.write(range.lower) { $0.write($1) }
            writer.write(range.upper) { $0.write($1) }
        }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(try reader.readCase(Dimension.self), try Test(from: &reader))
    }
}

extension Condition.Test {
    fileprivate init(from reader: inout StateReader) throws(StateBytesError) {
        switch try reader.readString() {
        case "oneOf": self = .oneOf(try Self.readTexts(&reader))
        case "noneOf": self = .noneOf(try Self.readTexts(&reader))
        case "prefix": self = .prefix(try Self.readTexts(&reader))
        case "versions":
            self = .versions(
                VersionRange(
                    lower: try reader.readOptional { (reader) throws(StateBytesError) in try reader.read() },
                    upper: try reader.readOptional { (reader) throws(StateBytesError) in try reader.read() }
                )
            )
        case "numbers":
            self = .numbers(
                NumberRange(
                    lower: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readInt64() },
                    upper: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readInt64() }
                )
            )
        default: throw .malformed
        }
    }

    private static func readTexts(_ reader: inout StateReader) throws(StateBytesError) -> [String] {
        try reader.readArray { (reader) throws(StateBytesError) in try reader.readString() }
    }
}

extension VersionRange.Bound: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(version.parts.map { String($0) }.joined(separator: "."))
        writer.write(isIncluded)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        // Nothing but zeros has no parts left.
        let text = try reader.readString()
        guard let version = Version(text.isEmpty ? "0" : text) else { throw .malformed }
        self.init(version, isIncluded: try reader.readBool())
    }
}
