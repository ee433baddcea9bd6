/// One file as the checks see it: a path relative to the package root, and its text.
struct SourceFile {
    let path: String
    let text: String

    /// The lines as written, without their ends.
    let lines: [Substring]

    /// For Swift files the lines with comments, literals and quoted identifiers blanked; as written otherwise.
    let code: [Substring]

    /// For Swift files the lines with all but the comments blanked; as written otherwise.
    let comments: [Substring]

    init(path: String, text: String) {
        self.path = path
        self.text = text
        self.lines = Self.split(text)
        if path.hasSuffix(".swift") {
            let parts = SwiftText.separate(text)
            self.code = Self.split(parts.code)
            self.comments = Self.split(parts.comments)
        } else {
            self.code = self.lines
            self.comments = self.lines
        }
    }

    var isSwift: Bool { path.hasSuffix(".swift") }

    /// The module whose folder holds the file, such as `ShuntCore`, or nil for a file outside `Sources` and `Tests`.
    var module: String? {
        let parts = path.split(separator: "/")
        guard parts.count > 2, parts[0] == "Sources" || parts[0] == "Tests" else { return nil }
        return String(parts[1])
    }

    /// Whether the path is one of these, or below one that ends in a slash.
    func isIn(_ places: [String]) -> Bool {
        places.contains { $0.hasSuffix("/") ? path.hasPrefix($0) : path == $0 }
    }

    /// A finding about the line at this index, counted from 0.
    func finding(at index: Int, _ message: String) -> Finding {
        Finding(path: path, line: index + 1, message: message)
    }

    private static func split(_ text: String) -> [Substring] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
