internal import ShuntNative

/// The names given so far, over all files of a kind, with their places.
struct FileNames {
    private let what: String
    private var places: [String: String] = [:]

    /// Names of things of a kind, e.g. `rule`.
    init(of what: String) {
        self.what = what
    }

    /// Adds a name; one that was given before is a problem.
    mutating func add(_ name: String, at position: YAMLPosition, _ reader: inout FileReader) {
        if let first = places[name] {
            let found = "a second \(what) \"\(name)\"; the first is at \(first)"
            reader.note(.duplicateId, at: position, found: found, expected: "a name of its own")
        } else {
            places[name] = "\(reader.file):\(position.line):\(position.column)"
        }
    }
}
