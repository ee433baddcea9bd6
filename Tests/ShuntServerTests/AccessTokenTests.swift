import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// Tokens as they are made and written.
@Suite struct AccessTokenTests {
    /// Source: the test vectors of RFC 4648, section 10, without padding; and the two letters that base64url has of its
    /// own.
    @Test(arguments: [
        Row("", ""), Row("f", "Zg"), Row("fo", "Zm8"), Row("foo", "Zm9v"), Row("foob", "Zm9vYg"),
        Row("fooba", "Zm9vYmE"), Row("foobar", "Zm9vYmFy"), Row("\u{3FB}\u{3FF}", "z7vPvw"), Row("~~~?", "fn5-Pw"),
        Row("???", "Pz8_"),
    ])
    func `bytes are written as base64url`(row: Row<String>) {
        #expect(NewToken.base64URL(Array(row.name.utf8)) == row.value)
    }

    @Test func `each new token is another, of 32 bytes, and can be sent`() throws {
        let tokens = try (0..<50).map { _ in try NewToken(name: "a", role: .read, trust: .trusted) }
        #expect(Set(tokens.map(\.text)).count == 50)
        for token in tokens {
            #expect(token.text.hasPrefix("shunt_"))
            #expect(token.text.utf8.count == "shunt_".utf8.count + 43)
            #expect(AccessToken.canBe(token.text))
            #expect(token.sha256 == Digest.sha256(Array(token.text.utf8)).hexadecimal)
        }
    }

    @Test(arguments: ["a", "ios-app", "5", "1e3", "true", "null", "-", "..", "on_call.1"])
    func `the line that is printed is what the configuration reads`(name: String) throws {
        for role in Role.allCases {
            for trust in role == .report ? ReporterTrust.allCases : [.trusted] {
                let token = try NewToken(name: name, role: role, trust: trust)
                let read = try ConfigurationFile.read(Array("tokens:\n  \(token.line)\n".utf8), file: "f")
                #expect(read.tokens == [token.access])
                #expect(!token.line.contains(token.text))
            }
        }
    }

    @Test(arguments: ["", "a b", "a\"", "ä", String(repeating: "a", count: 101)])
    func `a name that no file could hold is refused`(name: String) {
        #expect(throws: ConfigurationError.self) { _ = try NewToken(name: name, role: .read, trust: .trusted) }
    }

    @Test(arguments: [
        Row("a", true), Row("aZ09-._~+/", true), Row("a=", true), Row("a==", true), Row("", false), Row("=", false),
        Row("a=b", false), Row("a b", false), Row("a\n", false), Row("a\"", false), Row("ä", false), Row("a,b", false),
    ])
    func `only some letters can be of a token`(row: Row<Bool>) {
        #expect(AccessToken.canBe(row.name) == row.value)
    }
}
