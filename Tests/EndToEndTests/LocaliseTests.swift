import Foundation
import Testing

extension EndToEnd {
    /// `shunt localise` on real files; it needs no daemon.
    @Suite struct `Localising a table` {
        private struct Answer: Decodable {
            struct Attribute: Decodable, Equatable {
                var name: String
                var value: String
            }
            struct Cause: Decodable {
                var attributes: [Attribute]
                var count: Int
                var of: Int
                var share: Double
                var text: String
            }
            var verdict: String
            var causes: [Cause]
        }

        private let table = """
            window,failures,app.version,os.name,os.version
            now,97,4.2.0,iOS,17.4
            now,3,4.1.0,iOS,17.3
            baseline,11,4.2.0,iOS,17.4
            baseline,30,4.2.0,iOS,17.3
            baseline,30,4.1.0,iOS,17.4
            baseline,29,4.1.0,iOS,17.3

            """

        @Test func `prints the causes as JSON, from a file as from standard input`() async throws {
            let folder = try TemporaryFolder()
            let path = try folder.write(table, to: "table.csv")
            let fromFile = try await ChildProcess.run(["localise", "--input", path])
            let fromInput = try await ChildProcess.run(["localise", "--input", "-"], input: Array(table.utf8))
            #expect(fromFile.end == .exit(0), "\(fromFile)")
            #expect(fromFile.output == fromInput.output)
            #expect(fromFile.errors.isEmpty)
            let answer = try JSONDecoder().decode(Answer.self, from: Data(fromFile.output.utf8))
            #expect(answer.verdict == "found")
            let cause = try #require(answer.causes.first)
            #expect(
                cause.attributes == [
                    .init(name: "app.version", value: "4.2.0"), .init(name: "os.version", value: "17.4"),
                ]
            )
            #expect(cause.count == 97 && cause.of == 100)
            let text = try await ChildProcess.run(["localise", "--input", path, "--text", "--language", "zh"])
            #expect(text.output.hasPrefix("97 % 来自 App 4.2.0、系统版本 17.4（平时 11 %）\n"), "\(text)")
        }

        @Test func `names bad rows, goes on with the good ones, and ends with 1`() async throws {
            let folder = try TemporaryFolder()
            let path = try folder.write(table + "now,many,4.2.0,iOS,17.4\n", to: "table.csv")
            let finished = try await ChildProcess.run(["localise", "--input", path])
            #expect(finished.end == .exit(1))
            #expect(finished.errors.hasPrefix("\(path):8:5: failures \"many\"; expected a whole number"), "\(finished)")
            #expect(try JSONDecoder().decode(Answer.self, from: Data(finished.output.utf8)).verdict == "found")
        }

        @Test(arguments: [
            (["localise"], 2, "--input"), (["localise", "table.csv"], 2, "--input"),
            (["localise", "--input", "/no/such/file"], 1, "/no/such/file"),
            (["localise", "--input", "-", "--language", "fr"], 2, "en or zh"),
            (["localise", "--input", "-"], 1, "standard input:1:1: an empty file"),
        ]) func `says what it wanted`(_ arguments: [String], _ exit: Int32, _ says: String) async throws {
            let finished = try await ChildProcess.run(arguments)
            #expect(finished.end == .exit(exit), "\(finished)")
            #expect(finished.errors.contains(says) && finished.output.isEmpty, "\(finished)")
        }
    }
}
