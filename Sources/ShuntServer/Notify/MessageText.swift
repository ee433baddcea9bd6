/// Texts made fit for messages.
enum MessageText {
    /// A text from outside as one line: nothing in it breaks lines, turns the writing around or hides letters.
    ///
    /// - Parameter limit: so many characters are kept at most.
    static func line(_ text: String, limit: Int = 300) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator:
                if scalars.last != " " { scalars.append(" ") }
            case .format, .privateUse, .unassigned:
                // The joiner inside an emoji is a format character too; the emoji falls into its parts.
                break
            default:
                scalars.append(scalar)
            }
        }
        return clamped(String(scalars), units: limit)
    }

    /// The text in at most so many UTF-16 units, which no vendor counts more of; cut between characters, with `…` to
    /// show it.
    static func clamped(_ text: String, units limit: Int) -> String {
        cut(text, to: limit, mark: 1) { $0.utf16.count }
    }

    /// The text in at most so many bytes of UTF-8, cut between characters, with `…` to show it.
    static func clamped(_ text: String, bytes limit: Int) -> String {
        cut(text, to: limit, mark: 3) { $0.utf8.count }
    }

    /// The pieces joined, as long as they fit; for texts in which a character becomes several on the way, and may not
    /// be cut within them.
    static func clampedEscaping(_ text: String, units limit: Int, _ escape: (Character) -> String) -> String {
        var result = ""
        var used = 0
        // How many bytes to keep when the whole doesn't fit: up to the last place that leaves room for the mark.
        var kept = 0
        for character in text {
            let piece = escape(character)
            used += piece.utf16.count
            if used > limit { return String(decoding: result.utf8.prefix(kept), as: UTF8.self) + "…" }
            result += piece
            if used < limit { kept = result.utf8.count }
        }
        return result
    }

    private static func cut(_ text: String, to limit: Int, mark: Int, _ size: (Character) -> Int) -> String {
        var used = 0
        var last = text.startIndex
        for index in text.indices {
            used += size(text[index])
            if used > limit { return limit >= mark ? String(text[..<last]) + "…" : "" }
            if used + mark <= limit { last = text.index(after: index) }
        }
        return text
    }
}

extension MessageText {
    /// A notice as plain text in at most so many bytes. The first link comes last and is never cut.
    static func plain(_ text: NoticeText, bytes limit: Int) -> String {
        let body = ([text.title] + text.lines).joined(separator: "\n")
        var tail = ""
        for link in text.links.prefix(3) {
            let line = "\n" + text.language.labelled(text.language.linkLabel(link.name), link.url)
            if tail.utf8.count + line.utf8.count <= limit / 2 { tail += line }
        }
        return clamped(body, bytes: limit - tail.utf8.count) + tail
    }
}
