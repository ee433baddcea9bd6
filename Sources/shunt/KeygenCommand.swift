import ShuntNative
import ShuntSchema
import ShuntServer

/// `shunt keygen`.
enum KeygenCommand: Command {
    static let name = "keygen"

    static let options = [OptionSpec(name: "--out"), OptionSpec(name: "--json", takesValue: false)]

    static let help = """
        shunt keygen: make a key that the switches' documents are signed with.

        Usage: shunt keygen [--out FILE] [--json]

        The private key goes to the file, which only its owner may read (mode 0600);
        a file that is there is never overwritten. The public key is printed: apps
        pin it, and believe no document that wasn't signed with its other half.

          --out FILE  where the private key goes (default ./signing.key)
          --json      print as JSON, with the public key as PEM too

        Example:
          shunt keygen --out /etc/shunt/signing.key

        """

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        guard options.arguments.isEmpty else {
            throw CommandFailure(.usage, "unexpected argument \(options.arguments[0]); --out names the file")
        }
        let path = options["--out"] ?? SigningKeyFile.defaultPath
        guard !path.isEmpty, !path.hasSuffix("/") else {
            throw CommandFailure(.usage, "--out \(path): expected the name of a file")
        }
        let key: SigningKey
        do throws(ConfigurationError) {
            key = try SigningKeyFile.create(path)
        } catch {
            throw CommandFailure(.failure, error.description)
        }
        StandardStream.output.write(options.has("--json") ? json(key, path) : text(key, path))
        return .success
    }

    private static func text(_ key: SigningKey, _ path: String) -> String {
        """
        key id:      \(key.id)
        public key:  \(key.publicKey)
        private key: \(path)

        Apps pin the public key. In shunt.yaml:

          signing: { key: "\(path)" }

        """
    }

    private static func json(_ key: SigningKey, _ path: String) -> String {
        var writer = JSONWriter(capacity: 400)
        writer.beginObject()
        writer.field("keyId", key.id)
        writer.field("publicKey", key.publicKey)
        writer.field("publicKeyPem", key.publicPEM)
        writer.field("privateKeyFile", path)
        writer.endObject()
        writer.endLine()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
