internal import ShuntNative

/// The keys of a channel that sends mail.
enum MailForm {
    static func read(_ fields: FileFields, hasSecret: Bool, _ reader: inout FileReader) -> MailSettings? {
        let server = reader.required("server", of: fields, .mailServer)
        let sender = reader.required("from", of: fields, .mailAddress)
        let recipients = recipients(of: fields, &reader)
        let user = reader.optional("user", of: fields, .filledText)
        let security: MailTransfer.Security? = reader.optional("tls", of: fields, .word)
        if (user != nil) != hasSecret {
            let found = user != nil ? "a user without a password" : "a password without a user"
            reader.note(.contradiction, at: fields.position, found: found, expected: "user beside secret or secretFile")
        }
        if let user, user.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            let position = fields.valuePosition("user")
            reader.note(.unknownValue, at: position, found: "a control character", expected: "a user's name")
        }
        if security == MailTransfer.Security.none, user != nil {
            let found = "a password that would travel in the clear"
            reader.note(.contradiction, at: fields.valuePosition("tls"), found: found, expected: "starttls or implicit")
        }
        guard let server, let sender, let recipients else { return nil }
        return MailSettings(
            host: server.host,
            port: server.port,
            security: security ?? (server.port == 465 ? .implicit : .starttls),
            user: user,
            sender: sender,
            recipients: recipients
        )
    }

    private static func recipients(of fields: FileFields, _ reader: inout FileReader) -> [String]? {
        if fields["to"]?.elements == nil { return reader.required("to", of: fields, .mailAddress).map { [$0] } }
        return reader.required("to", of: fields, .list(of: .mailAddress, notEmpty: .outOfRange))
    }
}

extension FileValue where Value == ListenAddress {
    /// A mail server and its port; 587 where none is given.
    static var mailServer: Self {
        let expected = "a server and a port such as mail.example.com:587 or [2001:db8::1]:465"
        return Self(expected) { node, reader in
            if let text = node.text, !node.isNull, let server = server(text) { return server }
            let isText = node.text != nil && !node.isNull
            reader.note(isText ? .unknownValue : .wrongType, at: node.position, found: node.words, expected: expected)
            return nil
        }
    }

    private static func server(_ text: String) -> ListenAddress? {
        let hasPort = text.last != "]" && text.contains(":")
        guard let server = try? ListenAddress(parsing: hasPort ? text : "\(text):587"), server.port > 0 else {
            return nil
        }
        let isPlain = server.host.utf8.allSatisfy { byte in
            byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || ".-_:".utf8.contains(byte)
        }
        return isPlain ? server : nil
    }
}

extension FileValue where Value == String {
    /// A bare address of mail: no name beside it, no angle brackets, nothing that could end a header's line.
    static var mailAddress: Self {
        let expected = "a bare mail address such as oncall@example.com"
        return Self(expected) { node, reader in
            if let text = node.text, !node.isNull, text.isMailAddress { return text }
            let isText = node.text != nil && !node.isNull
            let meant = node.text.flatMap(meant)
            reader.note(
                isText ? .unknownValue : .wrongType,
                at: node.position,
                found: node.words,
                expected: expected,
                suggestion: meant
            )
            return nil
        }
    }

    /// The address inside `Name <address>`.
    private static func meant(by text: String) -> String? {
        guard let start = text.lastIndex(of: "<"), let end = text.lastIndex(of: ">"), start < end else { return nil }
        let address = String(text[text.index(after: start)..<end])
        return address.isMailAddress ? address : nil
    }
}

extension String {
    /// The dot-atoms of RFC 5322, 3.4.1, in ASCII: what every server takes. Quoted local parts aren't among them.
    fileprivate var isMailAddress: Bool {
        let parts = split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, utf8.count <= 254, (1...64).contains(parts[0].utf8.count) else { return false }
        let marks = "!#$%&'*+-/=?^_`{|}~.".utf8
        func isAtom(_ byte: UInt8) -> Bool {
            byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || marks.contains(byte)
        }
        return parts.allSatisfy { part in
            part.utf8.allSatisfy(isAtom)
                && part.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
        }
    }
}
