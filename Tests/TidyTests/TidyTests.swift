import Testing

/// A rule of `docs/architecture.md` or of the house style, as a function from a file to what is wrong with it.
struct Check: Sendable, CustomTestStringConvertible {
    let name: String
    let find: @Sendable (SourceFile) -> [Finding]

    var testDescription: String { name }

    static let all = [
        Check(name: "no file is longer than \(longestFile) lines", find: tooLong),
        Check(name: "no folder or file is named for nothing", find: namelessRoom),
        Check(name: "no banned token", find: bannedTokens),
        Check(name: "no unfinished work", find: unfinishedWork),
        Check(name: "no force unwrap", find: forceUnwraps),
        Check(name: "imports follow the module table", find: forbiddenImports),
        Check(name: "Package.swift follows the module table", find: packageAgainstTable),
        Check(name: "every public declaration has a line of documentation", find: undocumentedDeclarations),
    ]
}

@Suite struct `The project's own files` {
    @Test(arguments: Check.all)
    func `are tidy`(_ check: Check) throws {
        for finding in try Repository.sourceFiles().flatMap(check.find) {
            Issue.record("\(finding)")
        }
    }

    @Test func `are found from a test, sources and tests alike`() throws {
        let paths = try Repository.sourceFiles().map(\.path)
        for path in ["Package.swift", "Makefile", "scripts/bootstrap", "Tests/TidyTests/TidyTests.swift"] {
            #expect(paths.contains(path))
        }
        #expect(paths.contains { $0.hasPrefix("Sources/ShuntCore/") })
        #expect(!paths.contains { $0.hasPrefix(".build/") })
    }

    @Test func `include every target that the manifest names`() throws {
        let files = try Repository.sourceFiles()
        let manifest = try #require(files.first { $0.path == "Package.swift" })
        let targets = packageTargets(in: manifest.text)
        #expect(Set(ModuleRow.cLibraries).isSubset(of: targets.map(\.name)))
        for module in Set(files.filter(\.isSwift).compactMap(\.module)) {
            #expect(targets.contains { $0.name == module }, "Sources or Tests has \(module), Package.swift hasn't")
        }
    }
}
