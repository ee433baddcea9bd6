import Foundation
import Testing

@testable import ShuntServer

/// A rules folder for one test.
struct RuleFilesFixture {
    let folder: TemporaryFolder

    /// A folder with these files, by their paths within it.
    init(_ files: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        for (path, text) in files { try write(text, to: path) }
    }

    func write(_ text: String, to path: String) throws {
        let url = URL(filePath: folder.path).appending(path: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    func load(retentionMs: Int64 = .max) throws(RuleFilesError) -> RuleFiles {
        try RuleFiles(readingFolder: folder.path, retentionMs: retentionMs)
    }

    func problems(retentionMs: Int64 = .max) -> [RuleProblem] {
        do throws(RuleFilesError) {
            _ = try load(retentionMs: retentionMs)
            return []
        } catch {
            return error.problems
        }
    }

    /// The problems as `file:line:column code`, without the folder's own path.
    func places(retentionMs: Int64 = .max) -> [String] {
        problems(retentionMs: retentionMs).map { "\($0.place.dropFirst(folder.path.count + 1)) \($0.code.rawValue)" }
    }

    /// The project's own rules.
    static let shipped = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "rules").path
}

/// A text and all that is wrong with it, as `line:column code`.
struct BrokenText: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let problems: [String]

    init(_ name: String, _ text: String, _ problems: String...) {
        self.init(name, text, problems: problems)
    }

    init(_ name: String, _ text: String, problems: [String]) {
        self.name = name
        self.text = text
        self.problems = problems
    }

    var testDescription: String { name }
}
