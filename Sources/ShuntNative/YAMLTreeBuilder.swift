/// Turns events into nodes and notes everything that isn't allowed, as far as that can be understood.
struct YAMLTreeBuilder {
    private let file: String
    private let limits: YAMLDocument.Limits
    private var problems: [YAMLProblem] = []
    private var nodes = 0

    init(file: String, limits: YAMLDocument.Limits) {
        self.file = file
        self.limits = limits
    }

    /// The outermost value of the only document, nil where the search ended early; and all that isn't allowed.
    mutating func build(_ events: inout YAMLEventReader) -> (root: YAMLNode?, problems: [YAMLProblem]) {
        var root: YAMLNode?
        do throws(YAMLEventFailure) {
            let nothing = YAMLNode(.scalar("", isPlain: true), at: YAMLPosition(line: 1, column: 1))
            root = try document(&events) ?? nothing
        } catch {
            note(error.code, error.position, error.message)
        }
        // A key's problem is known only after its value's.
        problems.sort { ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column) }
        return (root, problems)
    }

    private mutating func document(_ events: inout YAMLEventReader) throws(YAMLEventFailure) -> YAMLNode? {
        var root: YAMLNode?
        while true {
            let event = try events.next()
            switch event.kind {
            case .streamEnd: return root
            case .streamStart, .documentEnd: continue
            case .documentStart where root != nil:
                note(.secondDocument, event.position, "a second document starts here, expected one in a file")
                return root
            case .documentStart:
                root = try node(try events.next(), &events, depth: 1)
            default: continue
            }
        }
    }

    private mutating func node(
        _ event: YAMLEvent,
        _ events: inout YAMLEventReader,
        depth: Int
    ) throws(YAMLEventFailure) -> YAMLNode {
        nodes += 1
        if nodes > limits.nodes {
            let message = "the file has more values, expected at most \(limits.nodes)"
            throw YAMLEventFailure(code: .tooLarge, position: event.position, message: message)
        }
        if event.hasAnchor { note(.anchor, event.position, "an anchor, expected the value itself in each place") }
        if event.hasTag { note(.tag, event.position, "a tag, expected a value without one; quotes make a text") }
        switch event.kind {
        case .sequenceStart:
            try check(depth, event.position)
            return YAMLNode(.sequence(try elements(&events, depth: depth)), at: event.position)
        case .mappingStart:
            try check(depth, event.position)
            return YAMLNode(.mapping(try entries(&events, depth: depth)), at: event.position)
        case .scalar(let text, let isPlain):
            return YAMLNode(.scalar(text, isPlain: isPlain), at: event.position)
        case .alias:
            note(.alias, event.position, "an alias, expected the value itself")
        default:
            break
        }
        return YAMLNode(.scalar("", isPlain: true), at: event.position)
    }

    private mutating func elements(
        _ events: inout YAMLEventReader,
        depth: Int
    ) throws(YAMLEventFailure) -> [YAMLNode] {
        var elements: [YAMLNode] = []
        while true {
            let event = try events.next()
            if case .sequenceEnd = event.kind { return elements }
            elements.append(try node(event, &events, depth: depth + 1))
        }
    }

    private mutating func entries(
        _ events: inout YAMLEventReader,
        depth: Int
    ) throws(YAMLEventFailure) -> [YAMLEntry] {
        var entries: [YAMLEntry] = []
        var places: [String: YAMLPosition] = [:]
        while true {
            let event = try events.next()
            if case .mappingEnd = event.kind { return entries }
            let key = try node(event, &events, depth: depth + 1)
            let value = try node(try events.next(), &events, depth: depth + 1)
            if case .alias = event.kind { continue }
            guard let text = key.text else {
                note(.keyNotText, key.position, "a key that is a list or a mapping, expected a text")
                continue
            }
            if let first = places[text] {
                let place = "line \(first.line), column \(first.column)"
                note(.duplicateKey, key.position, "the key \"\(text)\" is already at \(place), expected it once")
                continue
            }
            places[text] = key.position
            entries.append(YAMLEntry(key: text, isPlain: key.isPlain, at: key.position, value: value))
        }
    }

    private func check(_ depth: Int, _ position: YAMLPosition) throws(YAMLEventFailure) {
        guard depth > limits.depth else { return }
        let message = "nested too deep, expected at most \(limits.depth) levels"
        throw YAMLEventFailure(code: .tooDeep, position: position, message: message)
    }

    private mutating func note(_ code: YAMLProblem.Code, _ position: YAMLPosition, _ message: String) {
        problems.append(YAMLProblem(code, file: file, position: position, message: message))
    }
}
