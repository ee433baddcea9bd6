import Foundation
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// Documents with a signature, from the key's text to the header field.
@Suite struct SigningTests {
    private static let secret = [UInt8](0..<32)

    private static func key(_ first: UInt8 = 0) throws -> SigningKey {
        try #require(SigningKey(bytes: [first] + secret.dropFirst()))
    }

    /// The members of a field as a client reads them: the signature of each key by its id.
    private static func signatures(_ field: String) throws -> [String: [UInt8]] {
        var signatures: [String: [UInt8]] = [:]
        for member in field.components(separatedBy: ", ") {
            let parts = member.split(separator: "=", maxSplits: 1)
            let text = try #require(parts.last)
            #expect(parts.count == 2 && text.first == ":" && text.last == ":")
            signatures[String(parts[0])] = Array(
                try #require(Data(base64Encoded: String(text.dropFirst().dropLast())))
            )
        }
        return signatures
    }

    // MARK: The page

    /// The blocks of `docs/signing.md` by the word behind `text`.
    private static func vector() throws -> [String: String] {
        let page = URL(filePath: RuleFilesFixture.shipped).deletingLastPathComponent().appending(
            path: "docs/signing.md"
        )
        let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```text ").dropFirst()
        return Dictionary(
            uniqueKeysWithValues: blocks.map { block in
                let lines = block.components(separatedBy: "\n")
                return (lines[0], lines[1])
            }
        )
    }

    @Test func `the vector on the page is right`() throws {
        let vector = try Self.vector()
        #expect(vector.keys.sorted() == ["body", "field", "id", "private", "public"])
        let key = try #require(SigningKey(text: vector["private"] ?? ""))
        let body = Array((vector["body"] ?? "").utf8)
        #expect(key.publicKey == vector["public"])
        #expect(key.id == vector["id"])
        #expect(DocumentSigner(keys: [key]).field(for: body) == vector["field"])
        let publicKey = Array(try #require(Data(base64Encoded: vector["public"] ?? "")))
        let signature = try #require(try Self.signatures(vector["field"] ?? "")[vector["id"] ?? ""])
        #expect(Ed25519.isValid(signature, of: body, publicKey: publicKey))
        #expect(!Ed25519.isValid(signature, of: body + [10], publicKey: publicKey))
    }

    // MARK: Keys

    @Test(arguments: [
        Row("", ""), Row("f", "Zg=="), Row("fo", "Zm8="), Row("foo", "Zm9v"), Row("foob", "Zm9vYg=="),
        Row("fooba", "Zm9vYmE="), Row("foobar", "Zm9vYmFy"),
    ])
    func `base64 gives the vectors of RFC 4648`(row: Row<String>) {
        #expect(Base64.text(Array(row.name.utf8)) == row.value)
        #expect(Base64.bytes(row.value) == Array(row.name.utf8))
    }

    @Test(arguments: ["Z", "Zg", "Zg=", "Zh==", "Zg==Zg==", "Zm9v\n", "Zm-v", "=", "====", "Zm8=="])
    func `base64 in another form isn't read`(text: String) {
        #expect(Base64.bytes(text) == nil)
    }

    @Test func `base64 agrees with Foundation's on random bytes, seed 8032`() {
        var random = SeededGenerator(seed: 8032)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            #expect(Base64.text(bytes) == Data(bytes).base64EncodedString())
            #expect(Base64.bytes(Base64.text(bytes)) == bytes)
        }
    }

    @Test func `a key is read from PEM, from its line alone, and with the line ends of other systems`() throws {
        let made = try #require(SigningKey.make(Self.secret))
        let line = made.pem.components(separatedBy: "\n")[1]
        for text in [made.pem, line, "  \(line)\n\n", made.pem.replacingOccurrences(of: "\n", with: "\r\n")] {
            #expect(SigningKey(text: text)?.publicKey == made.key.publicKey, "\(text)")
        }
        #expect("\(made.key)" == made.key.id)
    }

    @Test(arguments: [
        "", "key", "MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHQ==",
        // The public half.
        "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=\n-----END PUBLIC KEY-----",
        // X25519, whose key has the same length.
        "MC4CAQAwBQYDK2VuBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f",
    ])
    func `what isn't a private key of Ed25519 is none`(text: String) {
        #expect(SigningKey(text: text) == nil)
    }

    @Test func `a key's file is for its owner only, and is never overwritten`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/signing.key"
        let key = try SigningKeyFile.create(path)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let before = try folder.contents("signing.key")
        let refusal = #expect(throws: ConfigurationError.self) { _ = try SigningKeyFile.create(path) }
        #expect(refusal?.description.contains("never overwritten") == true)
        #expect(try folder.contents("signing.key") == before)
        let signer = try SigningSettings(key: .file(path)).signer()
        #expect(signer.keys.map(\.publicKey) == [key.publicKey])
        let missing = #expect(throws: ConfigurationError.self) {
            _ = try SigningKeyFile.create("\(folder.path)/none/signing.key")
        }
        #expect(missing?.description.contains("/none") == true)
    }

    @Test func `a key that can't be had is named, and its text isn't repeated`() throws {
        let folder = try TemporaryFolder()
        let key = "\(folder.path)/signing.key"
        _ = try SigningKeyFile.create(key)
        try folder.write(Array("hunter2".utf8), to: "broken.key")
        try folder.write([UInt8](repeating: 7, count: 5_000), to: "large.key")
        let file = SecretSource.file(key)
        let rows: [(SigningSettings, String)] = [
            (
                SigningSettings(key: .file("\(folder.path)/no.key")),
                "signing.key \(folder.path)/no.key: there is no such"
            ),
            (SigningSettings(key: .environment("SHUNT_TEST_UNSET")), "signing.key env:SHUNT_TEST_UNSET: the variable"),
            (SigningSettings(key: .file("\(folder.path)/broken.key")), "expected a private key of Ed25519"),
            (SigningSettings(key: .file("\(folder.path)/large.key")), "expected a private key of Ed25519"),
            (SigningSettings(key: file, previousKey: .environment("HOME")), "signing.previousKey env:HOME: expected"),
            (SigningSettings(key: file, previousKey: file), "the same key"),
        ]
        for (settings, expected) in rows {
            let error = #expect(throws: ConfigurationError.self) { _ = try settings.signer() }
            #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
            #expect(error?.description.contains("hunter2") == false)
        }
    }

    // MARK: Answers

    @Test func `a document carries a signature of its exact bytes, and a 304 none`() throws {
        let signer = DocumentSigner(keys: [try Self.key()])
        let server = try TestServer(signer: signer)
        defer { server.stop() }
        let publicKey = Array(try #require(Data(base64Encoded: try Self.key().publicKey)))
        for target in ["/v1/switches", "/v1/switches/apple-pay", "/v1/switches?environment=unheard"] {
            let found = try server.get(target)
            #expect(found.status == 200)
            let signatures = try Self.signatures(try #require(found.header(DocumentSigner.field)))
            let signature = try #require(signatures[try Self.key().id])
            #expect(signatures.count == 1)
            #expect(Ed25519.isValid(signature, of: found.body, publicKey: publicKey))
            let etag = try #require(found.header("ETag"))
            let unchanged = try server.get(target, headers: [("If-None-Match", etag)])
            #expect(unchanged.status == 304)
            #expect(unchanged.header(DocumentSigner.field) == nil)
        }
        let decision = try server.get("/v1/switches/apple-pay?region=CN")
        #expect(decision.status == 200 && decision.header(DocumentSigner.field) == nil)
    }

    @Test func `each version has a signature of its own, by a long-poll too`() throws {
        let server = try TestServer(signer: DocumentSigner(keys: [try Self.key()]))
        defer { server.stop() }
        let publicKey = Array(try #require(Data(base64Encoded: try Self.key().publicKey)))
        let before = try server.get("/v1/switches")
        let version = try #require(server.board.document(environment: "production")).version
        let poll = WaitingPoll(server.request("/v1/switches?after=\(version)&waitSec=20"))
        #expect(server.waitForParked(1))
        #expect(try server.post("/v1/switches/apple-pay/trip", #"{"reason":"test"}"#).status == 200)
        let after = try #require(poll.answer())
        let field = try #require(after.header(DocumentSigner.field))
        #expect(field != before.header(DocumentSigner.field))
        let signature = try #require(try Self.signatures(field)[try Self.key().id])
        #expect(Ed25519.isValid(signature, of: after.body, publicKey: publicKey))
        #expect(!Ed25519.isValid(signature, of: before.body, publicKey: publicKey))
    }

    @Test func `with two keys clients of either are served, and a change of keys changes the tag`() throws {
        let keys = [try Self.key(), try Self.key(9)]
        let body = Array("{}".utf8)
        let both = Representation(body, signer: DocumentSigner(keys: keys))
        let field = try #require(both.found.headers.first { $0.name == DocumentSigner.field }?.value)
        let signatures = try Self.signatures(field)
        #expect(signatures.count == 2)
        for key in keys {
            let publicKey = Array(try #require(Data(base64Encoded: key.publicKey)))
            #expect(Ed25519.isValid(try #require(signatures[key.id]), of: body, publicKey: publicKey))
        }
        let tags = [
            both.etag, Representation(body).etag, Representation(body, signer: DocumentSigner(keys: [keys[0]])).etag,
            Representation(body, signer: DocumentSigner(keys: [keys[1]])).etag,
        ]
        #expect(Set(tags).count == 4)
        #expect(Representation(body, signer: DocumentSigner(keys: keys)).etag == both.etag)
    }

    @Test func `without a key nothing is signed`() throws {
        let server = try TestServer()
        defer { server.stop() }
        #expect(try server.get("/v1/switches").header(DocumentSigner.field) == nil)
    }
}
