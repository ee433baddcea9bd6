/// Tells the code of a Swift file from its comments and literals, so that a banned word in a sentence isn't a finding.
///
/// It knows strings (raw, multi-line, with interpolation), nested comments and identifiers in backticks. It doesn't
/// know regex literals; an unclosed quote ends at its line, so a mistake stays on that line.
struct SwiftText {
    private let source: [UInt8]
    private var code: [UInt8]
    private var comments: [UInt8]
    private var position = 0

    /// The text twice, of equal shape: once with all but the code blanked, once with all but the comments.
    static func separate(_ text: String) -> (code: String, comments: String) {
        var scanner = SwiftText(text)
        scanner.scanCode(insideInterpolation: false)
        return (String(decoding: scanner.code, as: UTF8.self), String(decoding: scanner.comments, as: UTF8.self))
    }

    private init(_ text: String) {
        source = Array(text.utf8)
        let blank = source.map { $0 == UInt8(ascii: "\n") ? $0 : UInt8(ascii: " ") }
        code = blank
        comments = blank
    }

    private mutating func scanCode(insideInterpolation: Bool) {
        var openParentheses = 0
        while position < source.count {
            if startsWith("//") {
                scanLineComment()
            } else if startsWith("/*") {
                scanBlockComment()
            } else if let hashes = hashesBeforeQuote() {
                scanString(hashes: hashes)
            } else if source[position] == UInt8(ascii: "`") {
                scanQuotedIdentifier()
            } else {
                let byte = source[position]
                if byte == UInt8(ascii: "(") { openParentheses += 1 }
                if byte == UInt8(ascii: ")") {
                    if insideInterpolation && openParentheses == 0 { return }
                    openParentheses -= 1
                }
                keepCode(1)
            }
        }
    }

    private mutating func scanLineComment() {
        while position < source.count, source[position] != UInt8(ascii: "\n") { keepComment(1) }
    }

    private mutating func scanBlockComment() {
        var depth = 0
        repeat {
            if startsWith("/*") {
                depth += 1
                keepComment(2)
            } else if startsWith("*/") {
                depth -= 1
                keepComment(2)
            } else {
                keepComment(1)
            }
        } while depth > 0 && position < source.count
    }

    private mutating func scanString(hashes: Int) {
        position += hashes
        let isMultiline = startsWith("\"\"\"")
        let quotes = isMultiline ? 3 : 1
        // The quotes stay in the code: what stands right behind a literal, such as `!`, still has a neighbour.
        keepCode(quotes)
        let close = String(repeating: "\"", count: quotes) + String(repeating: "#", count: hashes)
        let escape = "\\" + String(repeating: "#", count: hashes)
        while position < source.count {
            let byte = source[position]
            if byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte != UInt8(ascii: "\n") {
                position += 1
            } else if startsWith(close) {
                keepCode(quotes)
                position += hashes
                return
            } else if startsWith(escape + "(") {
                position += escape.utf8.count + 1
                scanCode(insideInterpolation: true)
                position += 1
            } else if startsWith(escape) {
                position += escape.utf8.count
                // An escaped line end closes nothing, but an unclosed literal may end the file in a backslash.
                if position < source.count, source[position] != UInt8(ascii: "\n") { position += 1 }
            } else if byte == UInt8(ascii: "\n") && !isMultiline {
                return
            } else {
                position += 1
            }
        }
    }

    private mutating func scanQuotedIdentifier() {
        position += 1
        while position < source.count, source[position] != UInt8(ascii: "`"), source[position] != UInt8(ascii: "\n") {
            position += 1
        }
        position += 1
    }

    /// The number of `#` before a quote that starts here, or nil when no string literal starts here.
    private func hashesBeforeQuote() -> Int? {
        var index = position
        while index < source.count, source[index] == UInt8(ascii: "#") { index += 1 }
        guard index < source.count, source[index] == UInt8(ascii: "\"") else { return nil }
        return index - position
    }

    private func startsWith(_ text: String) -> Bool {
        // The first byte decides nearly always, and this is asked at every byte of the project.
        source[position] == text.utf8.first && source[position...].starts(with: text.utf8)
    }

    private mutating func keepCode(_ count: Int) {
        let end = min(position + count, source.count)
        code[position..<end] = source[position..<end]
        position = end
    }

    private mutating func keepComment(_ count: Int) {
        let end = min(position + count, source.count)
        comments[position..<end] = source[position..<end]
        position = end
    }
}
