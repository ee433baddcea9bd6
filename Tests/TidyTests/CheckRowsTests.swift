import Testing

/// A snippet and the lines, counted from 1, that a check must name; none means that it must stay silent.
struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    var path = "Sources/ShuntServer/Sample.swift"
    let text: String
    let lines: [Int]

    var testDescription: String { name }

    func expect(_ check: (SourceFile) -> [Finding], sourceLocation: SourceLocation = #_sourceLocation) {
        let found = check(SourceFile(path: path, text: text))
        #expect(found.map(\.line) == lines, "\(found)", sourceLocation: sourceLocation)
    }
}

@Suite struct `A check fires on what is wrong and on nothing else` {
    @Test(arguments: [
        Row(name: "an unchecked conformance", text: "final class A: @unchecked Sendable {}", lines: [1]),
        Row(
            name: "an unsafe global",
            path: "Sources/ShuntNative/A.swift",
            text: "nonisolated(unsafe) var a = 1",
            lines: [1]
        ),
        Row(name: "a forced try", text: "let a = 1\nlet b = try! read()", lines: [2]),
        Row(name: "a forced cast", text: "let b = a as! Int", lines: [1]),
        Row(name: "fatalError", text: "fatalError(\"no disk\")", lines: [1]),
        Row(name: "the main queue", text: "DispatchQueue.main.async {}", lines: [1]),
        Row(name: "unsafe outside ShuntNative", text: "let a = unsafe pointer.pointee", lines: [1]),
        Row(name: "unsafe in a test", path: "Tests/ShuntNativeTests/A.swift", text: "unsafe call()", lines: [1]),
        Row(name: "unsafe in ShuntNative", path: "Sources/ShuntNative/A.swift", text: "unsafe call()", lines: []),
        Row(name: "print in the server", text: "print(1)", lines: [1]),
        Row(name: "print inside an interpolation", text: #"log("\(print("a"))")"#, lines: [1]),
        Row(name: "print in the executable", path: "Sources/shunt/A.swift", text: "print(1)", lines: []),
        Row(name: "a longer word", text: "blueprint(1); let unsafely = isunsafe", lines: []),
        Row(
            name: "a word in a comment",
            text: "// print( with try! is unsafe\n/* fatalError( /* as! */ try! */",
            lines: []
        ),
        Row(name: "a word in a string", text: ##"let a = "try! \" unsafe" + #"as! " print("# + "unsafe""##, lines: []),
        Row(
            name: "a word in a long string",
            text: "let a = \"\"\"\n  \"try!\" unsafe\n  \"\"\"\nunsafe f()",
            lines: [4]
        ),
        Row(name: "a sentence as a name", text: "func `unsafe print( as! try!`() {}", lines: []),
        Row(name: "an unclosed quote", text: "let a = \"\nunsafe f()", lines: [2]),
        Row(name: "a clock in the core", path: "Sources/ShuntCore/A.swift", text: "let at = Date()", lines: [1]),
        Row(name: "an instant in the core", path: "Sources/ShuntCore/A.swift", text: "a(.now)", lines: [1]),
        Row(name: "a clock in the schema", path: "Sources/ShuntSchema/A.swift", text: "ContinuousClock()", lines: [1]),
        Row(name: "a clock in the server", text: "let at = Date()", lines: []),
        Row(name: "chance in the core", path: "Sources/ShuntCore/A.swift", text: "Int.random(in: 0..<9)", lines: [1]),
        Row(name: "a hash in the core", path: "Sources/ShuntCore/A.swift", text: "a.hashValue", lines: [1]),
        Row(name: "a sleeping test", path: "Tests/EndToEndTests/A.swift", text: "usleep(1)", lines: [1]),
        Row(
            name: "a task that sleeps in a test",
            path: "Tests/A/A.swift",
            text: "Task.sleep(for: .seconds(1))",
            lines: [1]
        ),
        Row(name: "a word outside the code", path: "docs/a.swift", text: "print(1)", lines: []),
    ])
    func `banned tokens`(_ row: Row) {
        row.expect(bannedTokens)
    }

    @Test(arguments: [
        Row(name: "a mark in a comment", text: "let a = 1 // TODO: more", lines: [1]),
        Row(name: "marks of each kind", text: "// FIXME\n/* XXX\n*/\n/// TODO", lines: [1, 2, 4]),
        Row(name: "a mark in a script", path: "scripts/a.sh", text: "true # FIXME", lines: [1]),
        Row(name: "a mark in a string", text: #"let a = "TODO""#, lines: []),
        Row(name: "a longer word", text: "// TODOS, XXXL and todo", lines: []),
    ])
    func `unfinished work`(_ row: Row) {
        row.expect(unfinishedWork)
    }

    @Test(arguments: [
        Row(name: "a name", text: "let a = b!", lines: [1]),
        Row(name: "a call", text: "let a = b()!.c", lines: [1]),
        Row(name: "an element", text: "let a = b[0]!", lines: [1]),
        Row(name: "a chain", text: "let a = b?.c!", lines: [1]),
        Row(name: "a literal", text: #"let a = URL(string: "a")!; let b = "c"!"#, lines: [1]),
        Row(name: "an unwrapped declaration", text: "var a: Int!", lines: [1]),
        Row(name: "inside an interpolation", text: #"let a = "\(b!)""#, lines: [1]),
        Row(name: "a negation", text: "if !a && !(b || !c) { return !d }", lines: []),
        Row(name: "an inequality", text: "if a != b || c!=d {}", lines: []),
        Row(name: "a sentence", text: "// done!\nlet a = \"done!\"", lines: []),
        Row(name: "left to the banned tokens", text: "try! a(); b as! C", lines: []),
    ])
    func `force unwraps`(_ row: Row) {
        row.expect(forceUnwraps)
    }

    @Test(arguments: [
        Row(name: "Foundation in the core", path: "Sources/ShuntCore/A.swift", text: "import Foundation", lines: [1]),
        Row(
            name: "one type of Foundation",
            path: "Sources/ShuntSchema/A.swift",
            text: "public import struct Foundation.Date",
            lines: [1]
        ),
        Row(name: "a C library in the server", text: "\ninternal import CSQLite", lines: [2]),
        Row(
            name: "a module above",
            path: "Sources/ShuntNative/A.swift",
            text: "@testable import ShuntServer",
            lines: [1]
        ),
        Row(name: "a module without a row", path: "Sources/Anything/A.swift", text: "import ShuntCore", lines: [1]),
        Row(name: "a C library in a test", path: "Tests/ShuntNativeTests/A.swift", text: "import CCurl", lines: [1]),
        Row(
            name: "anything else in a test",
            path: "Tests/ShuntCoreTests/A.swift",
            text: "import Foundation",
            lines: []
        ),
        Row(name: "libm in the core", path: "Sources/ShuntCore/A.swift", text: "internal import Glibc", lines: []),
        Row(name: "what the table allows", text: "import ShuntCore\npublic import ShuntSchema", lines: []),
        Row(
            name: "a C library in ShuntNative",
            path: "Sources/ShuntNative/A.swift",
            text: "internal import CYAML",
            lines: []
        ),
        Row(name: "a sentence about imports", text: "// import CSQLite\nlet a = \"import CSQLite\"", lines: []),
    ])
    func `imports`(_ row: Row) {
        row.expect(forbiddenImports)
    }

    @Test(arguments: [
        Row(name: "a bare function", text: "public func a() {}", lines: [1]),
        Row(name: "a bare type among others", text: "/// A.\npublic struct A {\n    public let b: Int\n}", lines: [3]),
        Row(name: "an initialiser", text: "public init?(a: Int) {}", lines: [1]),
        Row(
            name: "modifiers on both sides",
            text: "@inlinable public static func a() {}\nfinal public class B {}",
            lines: [1, 2]
        ),
        Row(name: "a plain comment", text: "// A.\npublic var a: Int", lines: [2]),
        Row(name: "a line that belongs to something else", text: "/// A.\n\npublic var a: Int", lines: [3]),
        Row(
            name: "an attribute between",
            text: "/// A.\n@available(iOS 16, *)\n@inlinable\npublic func a() {}",
            lines: []
        ),
        Row(
            name: "a restricted setter",
            text: "/// A.\npublic private(set) var a: Int\npublic private(set) var b: Int",
            lines: [3]
        ),
        Row(name: "an extension and an import", text: "public import ShuntCore\npublic extension A {}", lines: []),
        Row(name: "what isn't public", text: "func a() {}\nlet publicName = 1\nfoo(public)", lines: []),
        Row(name: "a test", path: "Tests/ShuntCoreTests/A.swift", text: "public func a() {}", lines: []),
    ])
    func `missing documentation`(_ row: Row) {
        row.expect(undocumentedDeclarations)
    }

    @Test(arguments: [
        Row(name: "401 lines", text: String(repeating: "\n", count: 401), lines: [401]),
        Row(name: "400 lines", text: String(repeating: "\n", count: 400), lines: []),
    ])
    func `length`(_ row: Row) {
        row.expect(tooLong)
    }

    @Test(arguments: [
        Row(name: "a folder", path: "Sources/ShuntCore/Utils/A.swift", text: "", lines: [1]),
        Row(name: "a file", path: "Sources/ShuntCore/Helpers.swift", text: "", lines: [1]),
        Row(name: "a noun", path: "Sources/ShuntCore/Window.swift", text: "", lines: []),
    ])
    func `names that say nothing`(_ row: Row) {
        row.expect(namelessRoom)
    }

    @Test(arguments: [
        Row(
            name: "an edge against the arrow",
            path: "Package.swift",
            text: "a\n.target(\n    name: \"ShuntCore\",\n    dependencies: [\"ShuntSchema\", \"ShuntNative\"]\n)",
            lines: [2]
        ),
        Row(name: "a target without a row", path: "Package.swift", text: #".target(name: "Odds")"#, lines: [1]),
        Row(
            name: "a library without a row",
            path: "Package.swift",
            text: #"library("CZlib", "zlib", "z")"#,
            lines: [1]
        ),
        Row(
            name: "a C library in a test",
            path: "Package.swift",
            text: #".testTarget(name: "ATests", dependencies: ["CCurl", "ShuntCore"])"#,
            lines: [1]
        ),
        Row(
            name: "what the table allows",
            path: "Package.swift",
            text: #".target(name: "ShuntCore", dependencies: ["ShuntSchema"]), library("CCurl", "libcurl", "x")"#,
            lines: []
        ),
    ])
    func `dependencies in the manifest`(_ row: Row) {
        row.expect(packageAgainstTable)
    }

    @Test func `a finding reads as file, line and replacement`() throws {
        let found = bannedTokens(in: SourceFile(path: "Sources/ShuntCore/A.swift", text: "\nlet at = Date()"))
        let finding = try #require(found.first)
        #expect(
            "\(finding)"
                == "Sources/ShuntCore/A.swift:2: `Date()` isn't used here; instead: the entry's `at`, given as a parameter"
        )
    }
}
