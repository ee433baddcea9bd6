internal import CYAML

/// What libyaml reports next, as a value.
struct YAMLEvent {
    enum Kind {
        case streamStart, streamEnd, documentStart, documentEnd
        case scalar(String, isPlain: Bool)
        case sequenceStart, sequenceEnd, mappingStart, mappingEnd
        case alias
    }

    let kind: Kind
    let position: YAMLPosition
    var hasAnchor = false
    var hasTag = false
}

/// Why libyaml can't go on.
struct YAMLEventFailure: Error {
    let code: YAMLProblem.Code
    let position: YAMLPosition
    let message: String
}

/// An owned libyaml parser that reads borrowed bytes.
@safe
struct YAMLEventReader: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeBufferPointer<UInt8>

    /// Lends a reader of these bytes to the body.
    static func withEvents<Result>(of bytes: [UInt8], _ body: (inout YAMLEventReader) -> Result) -> Result {
        unsafe bytes.withUnsafeBufferPointer { input in
            var reader = unsafe YAMLEventReader(input)
            return body(&reader)
        }
    }

    private init(_ input: UnsafeBufferPointer<UInt8>) {
        unsafe parser = .allocate(capacity: 1)
        unsafe precondition(yaml_parser_initialize(parser) == 1, "no memory for a YAML parser")
        // Said here, so that a byte order mark can't turn the file into UTF-16.
        unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        unsafe yaml_parser_set_input_string(parser, input.baseAddress, input.count)
        unsafe self.input = input
    }

    deinit {
        unsafe yaml_parser_delete(parser)
        unsafe parser.deallocate()
    }

    /// The next event. Not to be called again after the end or a failure.
    mutating func next() throws(YAMLEventFailure) -> YAMLEvent {
        var event = unsafe yaml_event_t()
        guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw failure() }
        defer { unsafe yaml_event_delete(&event) }
        let position = unsafe YAMLEventReader.position(event.start_mark)
        switch unsafe event.type {
        case YAML_STREAM_START_EVENT: return YAMLEvent(kind: .streamStart, position: position)
        case YAML_DOCUMENT_START_EVENT: return YAMLEvent(kind: .documentStart, position: position)
        case YAML_DOCUMENT_END_EVENT: return YAMLEvent(kind: .documentEnd, position: position)
        case YAML_ALIAS_EVENT: return YAMLEvent(kind: .alias, position: position)
        case YAML_SEQUENCE_END_EVENT: return YAMLEvent(kind: .sequenceEnd, position: position)
        case YAML_MAPPING_END_EVENT: return YAMLEvent(kind: .mappingEnd, position: position)
        case YAML_SEQUENCE_START_EVENT:
            let start = unsafe event.data.sequence_start
            return unsafe YAMLEvent(
                kind: .sequenceStart,
                position: position,
                hasAnchor: start.anchor != nil,
                hasTag: start.tag != nil
            )
        case YAML_MAPPING_START_EVENT:
            let start = unsafe event.data.mapping_start
            return unsafe YAMLEvent(
                kind: .mappingStart,
                position: position,
                hasAnchor: start.anchor != nil,
                hasTag: start.tag != nil
            )
        case YAML_SCALAR_EVENT:
            let scalar = unsafe event.data.scalar
            let bytes = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            let text = unsafe String(decoding: bytes, as: UTF8.self)
            let isPlain = unsafe scalar.style == YAML_PLAIN_SCALAR_STYLE
            return unsafe YAMLEvent(
                kind: .scalar(text, isPlain: isPlain),
                position: position,
                hasAnchor: scalar.anchor != nil,
                hasTag: scalar.tag != nil
            )
        default: return YAMLEvent(kind: .streamEnd, position: position)
        }
    }

    private static func position(_ mark: yaml_mark_t) -> YAMLPosition {
        YAMLPosition(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }

    // MARK: Failures

    private func failure() -> YAMLEventFailure {
        let problem = unsafe parser.pointee.problem.map { unsafe String(cString: $0) } ?? "the text can't be read"
        guard unsafe parser.pointee.error != YAML_READER_ERROR else {
            let position = unsafe position(ofByte: Int(parser.pointee.problem_offset))
            let message = "\(problem), expected UTF-8 without control characters"
            return YAMLEventFailure(code: .invalidText, position: position, message: message)
        }
        let position = unsafe YAMLEventReader.position(parser.pointee.problem_mark)
        if isIndentedByTab(position) {
            return YAMLEventFailure(code: .tab, position: position, message: "a tab indents this line, expected spaces")
        }
        var message = problem
        if let context = unsafe parser.pointee.context {
            let start = unsafe YAMLEventReader.position(parser.pointee.context_mark)
            unsafe message += " \(String(cString: context)) from line \(start.line), column \(start.column)"
        }
        return YAMLEventFailure(code: .syntax, position: position, message: message)
    }

    /// libyaml gives no line for what it can't even decode.
    private func position(ofByte offset: Int) -> YAMLPosition {
        let before = unsafe String(decoding: input.prefix(offset), as: UTF8.self).unicodeScalars
        let line = before.split(separator: "\n", omittingEmptySubsequences: false)
        return YAMLPosition(line: max(1, line.count), column: (line.last?.count ?? 0) + 1)
    }

    private func isIndentedByTab(_ position: YAMLPosition) -> Bool {
        let lines = unsafe Array(input).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard position.line <= lines.count else { return false }
        let indent = lines[position.line - 1].prefix { $0 == 0x20 || $0 == 0x09 }
        return position.column <= indent.count + 1 && indent.contains(0x09)
    }
}
