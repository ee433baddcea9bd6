/// Public declarations without a `///` line right above; attributes may stand between.
func undocumentedDeclarations(in file: SourceFile) -> [Finding] {
    guard file.isSwift, file.path.hasPrefix("Sources/") else { return [] }
    return file.code.indices.compactMap { index in
        guard let kind = publicDeclaration(file.code[index]) else { return nil }
        if hasDocumentation(file, above: index) { return nil }
        return file.finding(at: index, "public \(kind) without a `///` line; instead: one summary line right above it")
    }
}

/// The keyword of the public declaration that a line of code starts, or nil. Extensions need no line: what is in them
/// does.
private func publicDeclaration(_ line: Substring) -> Substring? {
    let kinds: Set<Substring> = [
        "var", "let", "func", "init", "init?", "subscript", "struct", "class", "enum", "protocol", "actor",
        "typealias", "associatedtype", "macro", "operator",
    ]
    // `class` can also be a modifier: `public class func`.
    let words = withoutAttributes(line).split { " (<:{".contains($0) }
    guard let at = words.firstIndex(where: { $0 == "public" || $0 == "open" }) else { return nil }
    guard words[..<at].allSatisfy(isModifier) else { return nil }
    guard let kind = words[(at + 1)...].first(where: { kinds.contains($0) || !isModifier($0) }) else { return nil }
    return kinds.contains(kind) ? kind : nil
}

private func isModifier(_ word: Substring) -> Bool {
    let modifiers: Set<Substring> = [
        "static", "final", "nonisolated", "mutating", "nonmutating", "consuming", "borrowing", "override", "required",
        "convenience", "lazy", "weak", "unowned", "indirect", "dynamic", "isolated", "prefix", "postfix", "infix",
        "private", "fileprivate", "internal", "package", "set)", "unsafe", "unsafe)", "sending)",
    ]
    return modifiers.contains(word)
}

/// The line without the attributes that it starts with, such as `@inlinable` and `@available(iOS 16, *)`.
private func withoutAttributes(_ line: Substring) -> Substring {
    var rest = line.drop { $0 == " " }
    while rest.first == "@" {
        rest = rest.dropFirst().drop { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        if rest.first == "(" { rest = rest.drop { $0 != ")" }.dropFirst() }
        rest = rest.drop { $0 == " " }
    }
    return rest
}

private func hasDocumentation(_ file: SourceFile, above index: Int) -> Bool {
    for line in file.lines[..<index].reversed() {
        let trimmed = line.drop { $0 == " " }
        if trimmed.hasPrefix("@") { continue }
        return trimmed.hasPrefix("///")
    }
    return false
}
