internal import ShuntNative

/// The form of the section `signing`: where the keys are that documents are signed with.
enum SigningForm {
    static let keys = ["key", "previousKey"]

    /// - Parameter path: gives a file's name as the configuration means it.
    static func read(
        _ signing: FileFields,
        path: (String) -> String,
        _ reader: inout FileReader
    ) -> SigningSettings? {
        let key = reader.required("key", of: signing, .secretSource)
        let previous = reader.optional("previousKey", of: signing, .secretSource)
        guard let key else { return nil }
        func placed(_ source: SecretSource) -> SecretSource {
            if case .file(let name) = source { .file(path(name)) } else { source }
        }
        return SigningSettings(key: placed(key), previousKey: previous.map(placed))
    }
}

extension FileValue where Value == SecretSource {
    /// A file, or `env:` and the name of a variable. What else is found isn't repeated: it may be the secret itself.
    static var secretSource: Self {
        let expected = "the name of a file, or env:NAME for a variable of the environment"
        return Self(expected) { node, reader in
            guard let text = node.text, !node.isNull, node.bool == nil else {
                reader.note(.wrongType, at: node.position, found: node.words, expected: expected)
                return nil
            }
            let isKey = text.contains { $0.isNewline } || SigningKey(text: text) != nil
            let isVariable = text.hasPrefix(SecretSource.environmentPrefix)
            let name = isVariable ? String(text.dropFirst(SecretSource.environmentPrefix.count)) : text
            guard !isKey, !name.isEmpty, !isVariable || name.utf8.allSatisfy(\.isOfVariable) else {
                let found = isKey ? "a key itself" : "a text of \(text.count) characters"
                reader.note(.unknownValue, at: node.position, found: found, expected: expected)
                return nil
            }
            return isVariable ? .environment(name) : .file(name)
        }
    }
}

extension UInt8 {
    /// Whether the name of a variable may have it (POSIX.1, 8.1, and small letters, which shells allow).
    fileprivate var isOfVariable: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) || self == UInt8(ascii: "_")
    }
}
