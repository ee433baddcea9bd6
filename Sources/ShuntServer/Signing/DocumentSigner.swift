internal import ShuntNative

/// Signs what is published, with one key, or with two while clients go from one to the other.
struct DocumentSigner: Sendable {
    /// The name of the header field.
    static let field = "Shunt-Signature"

    /// The key that stays comes first.
    let keys: [SigningKey]

    /// The value of the field: a dictionary of key ids and byte sequences (RFC 9651, 3.2 and 3.3.5), e.g.
    /// `k1234567890abcdef=:…base64…:`.
    func field(for body: [UInt8]) -> String {
        keys.map { "\($0.id)=:\(Base64.text($0.signature(of: body))):" }.joined(separator: ", ")
    }
}

/// Where the keys are that documents are signed with.
struct SigningSettings: Sendable, Equatable {
    var key: SecretSource
    /// A second key that clients may know; nil when there is none.
    var previousKey: SecretSource?

    /// Reads the keys.
    ///
    /// - Throws: Which of them can't be read and what was expected; never what was found.
    func signer() throws(ConfigurationError) -> DocumentSigner {
        var keys = [try Self.read(key, of: "signing.key")]
        if let previousKey {
            let previous = try Self.read(previousKey, of: "signing.previousKey")
            guard previous.id != keys[0].id else {
                throw ConfigurationError("signing.previousKey \(previousKey): it's the same key as signing.key")
            }
            keys.append(previous)
        }
        return DocumentSigner(keys: keys)
    }

    private static func read(_ source: SecretSource, of setting: String) throws(ConfigurationError) -> SigningKey {
        let text: String?
        switch source {
        case .environment(let name):
            text = ProcessEnvironment.value(name)
            guard text != nil else { throw ConfigurationError("\(setting) \(source): the variable isn't set") }
        case .file(let path):
            do throws(FileError) {
                text = try SigningKeyFile.text(path)
            } catch {
                throw ConfigurationError("\(setting): \(error)")
            }
            guard text != nil else {
                throw ConfigurationError("\(setting) \(path): there is no such file; shunt keygen makes one")
            }
        }
        guard let key = text.flatMap(SigningKey.init(text:)) else {
            throw ConfigurationError(
                "\(setting) \(source): expected a private key of Ed25519 as PEM, as shunt keygen writes it"
            )
        }
        return key
    }
}
