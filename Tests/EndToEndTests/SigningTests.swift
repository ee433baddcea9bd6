import Foundation
import Testing

extension EndToEnd {
    /// Documents that a proxy can't forge: made by the real daemon, judged by a verifier that isn't ours.
    @Suite struct `Signed documents` {
        private struct Key: Decodable {
            let keyId: String
            let publicKey: String
            let publicKeyPem: String
            let privateKeyFile: String
        }

        private func makeKey(_ name: String, in folder: TemporaryFolder) async throws -> Key {
            let made = try await ChildProcess.run(["keygen", "--out", folder.path(name), "--json"])
            #expect(made.end == .exit(0), "\(made)")
            return try JSONDecoder().decode(Key.self, from: Data(made.output.utf8))
        }

        /// What `docs/signing.md` tells people to do by hand.
        private func opensslSays(_ folder: TemporaryFolder, key: Key, url: String, tampering: String = "") throws
            -> String
        {
            let pem = try folder.write(key.publicKeyPem, to: "public.pem")
            let script = """
                set -e; cd '\(folder.url.path)'
                curl -s -D head -o body \(url)/v1/switches
                tr -d '\\r' < head | sed -n 's/^Shunt-Signature: \\(.*, \\)*\(key.keyId)=:\\([^:]*\\):.*$/\\2/p' \
                  | base64 -d > signature
                \(tampering)
                openssl pkeyutl -verify -pubin -inkey '\(pem)' -rawin -in body -sigfile signature 2>&1
                """
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", script]
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardError = pipe
            try process.run()
            let output = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: output, as: UTF8.self)
        }

        @Test func `openssl verifies what the daemon signed with either of two keys, and nothing else`() async throws {
            let folder = try TemporaryFolder()
            let old = try await makeKey("old.key", in: folder)
            let new = try await makeKey("new.key", in: folder)
            let stranger = try await makeKey("stranger.key", in: folder)
            let configuration = try folder.write("signing: { key: new.key, previousKey: old.key }\n", to: "shunt.yaml")
            try await withDaemon(on: folder, arguments: ["--config", configuration]) { daemon in
                for key in [old, new] {
                    let said = try opensslSays(folder, key: key, url: daemon.url)
                    #expect(said.contains("Signature Verified Successfully"), "\(said)")
                }
                let tampered = try opensslSays(
                    folder,
                    key: new,
                    url: daemon.url,
                    tampering: "sed -i 's/native/web/' body"
                )
                #expect(tampered.contains("Verification Failure"), "\(tampered)")
                let forged = try opensslSays(folder, key: stranger, url: daemon.url)
                #expect(!forged.contains("Successfully"), "\(forged)")
                #expect(!daemon.child.errors.text.contains("PRIVATE"))
                #expect(daemon.child.errors.text.contains("signed with \(new.keyId) and \(old.keyId)"))
            }
        }

        @Test func `a daemon whose key can't be read doesn't start`() async throws {
            let folder = try TemporaryFolder()
            let configuration = try folder.write("signing: { key: none.key }\n", to: "shunt.yaml")
            let finished = try await ChildProcess.run(
                ["serve", "--listen", "127.0.0.1:0", "--data", folder.path("data"), "--config", configuration])
            #expect(finished.end == .exit(78), "\(finished)")
            #expect(finished.errors.contains("none.key"), "\(finished)")
        }

        @Test func `keygen doesn't overwrite, and openssl reads what it wrote`() async throws {
            let folder = try TemporaryFolder()
            let key = try await makeKey("signing.key", in: folder)
            let again = try await ChildProcess.run(["keygen", "--out", folder.path("signing.key")])
            #expect(again.end == .exit(1) && again.errors.contains("signing.key"), "\(again)")
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["openssl", "pkey", "-in", key.privateKeyFile, "-pubout"]
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            let output = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            #expect(String(decoding: output, as: UTF8.self) == key.publicKeyPem)
        }
    }
}
