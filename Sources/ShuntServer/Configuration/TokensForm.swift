internal import ShuntNative
internal import ShuntSchema

/// The form of the section `tokens`.
enum TokensForm {
    static func read(_ nodes: [YAMLNode], _ reader: inout FileReader) -> [AccessToken] {
        var names = FileNames(of: "token")
        var places: [Digest: YAMLPosition] = [:]
        return nodes.compactMap { node in
            let fields = reader.fields(node, of: "a token", keys: ["name", "role", "trust", "sha256"])
            guard let fields else { return nil }
            let name = reader.required("name", of: fields, .name)
            let role: Role? = reader.required("role", of: fields, .word)
            let trust = trust(of: fields, role: role, &reader)
            let digest = reader.required("sha256", of: fields, .sha256)
            if let name { names.add(name, at: fields.valuePosition("name"), &reader) }
            if let digest {
                let position = fields.valuePosition("sha256")
                if let first = places[digest] {
                    let place = "\(reader.file):\(first.line):\(first.column)"
                    let found = "a second token with this sha256; the first is at \(place)"
                    reader.note(.duplicateId, at: position, found: found, expected: "a token of its own")
                } else {
                    places[digest] = position
                }
            }
            guard let name, let role, let digest else { return nil }
            return AccessToken(name: name, role: role, trust: trust ?? .trusted, digest: digest)
        }
    }

    /// How far reports can be believed. It must be said: neither answer is safe to assume, since an app's token that is
    /// believed lets anybody move payers, and a server's that isn't may leave them where they can't pay.
    private static func trust(of fields: FileFields, role: Role?, _ reader: inout FileReader) -> ReporterTrust? {
        guard let role else { return reader.optional("trust", of: fields, .word) }
        if role == .report { return reader.required("trust", of: fields, .word) }
        if let position = fields.keyPosition("trust") {
            let found = "trust of a token with the role \(role.rawValue)"
            reader.note(.contradiction, at: position, found: found, expected: "trust beside the role report only")
        }
        return nil
    }
}

extension FileValue where Value == Digest {
    /// A SHA-256 in hexadecimal. What else is found isn't repeated: it may be the token itself.
    static var sha256: Self {
        let expected = "the SHA-256 of the token, 64 hexadecimal digits in quotes; shunt token new writes the line"
        return Self(expected) { node, reader in
            if let digest = node.text.flatMap({ Digest(hexadecimal: $0) }) { return digest }
            let text = node.isNull ? nil : node.text
            reader.note(
                text == nil ? .wrongType : .unknownValue,
                at: node.position,
                found: text.map { "a text of \($0.count) characters" } ?? node.words,
                expected: expected
            )
            return nil
        }
    }
}
