internal import ShuntSchema

/// A mail as it goes on the wire (RFC 5322, 2045 and 2047).
struct MailMessage {
    /// A bare address.
    var from: String
    /// Bare addresses.
    var to: [String]
    /// Any text; line breaks and control characters in it become spaces.
    var subject: String
    /// Lines separated by line feeds.
    var body: String
    var date: Timestamp
    /// The part of the Message-Id between the angle brackets.
    var id: String
    /// The Message-Id that the thread hangs on; nil for a mail of its own.
    var thread: String?
    var isUrgent = false

    static let subjectLimit = 250

    /// Header and body, lines ending in CR LF.
    var bytes: [UInt8] {
        var lines = [
            "Date: \(HTTPDate.mailDate(date))",
            "From: Shunt <\(from)>",
            "To: \(to.joined(separator: ",\r\n "))",
            "Subject: \(Self.encodedSubject(subject))",
            "Message-Id: <\(id)>",
        ]
        if let thread { lines += ["In-Reply-To: <\(thread)>", "References: <\(thread)>"] }
        if isUrgent { lines.append("Importance: high") }
        lines += [
            // Nobody's holiday notice should answer this (RFC 3834, 5).
            "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: base64",
            "",
        ]
        let text = body.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n") + "\r\n"
        var rest = Base64.text(Array(text.utf8))[...]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(76)))
            rest = rest.dropFirst(76)
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
    }

    /// ASCII as it is, anything else as encoded words of at most 75 characters, none of which cuts a character.
    static func encodedSubject(_ text: String) -> String {
        let line = MessageText.line(text, limit: subjectLimit)
        if line.utf8.allSatisfy({ $0 < 0x80 }), !line.contains("=?") { return line }
        var words: [String] = []
        var word: [UInt8] = []
        // The first one shares its line with the field's name.
        var longestWord = 36
        for scalar in line.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if word.count + bytes.count > longestWord {
                words.append("=?UTF-8?B?\(Base64.text(word))?=")
                word = []
                longestWord = 45
            }
            word += bytes
        }
        words.append("=?UTF-8?B?\(Base64.text(word))?=")
        return words.joined(separator: "\r\n ")
    }
}
