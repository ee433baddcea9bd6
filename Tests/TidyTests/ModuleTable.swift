/// One row of the module table in `docs/architecture.md`: what a module may import.
struct ModuleRow {
    let name: String
    /// Modules of this package. Also what `Package.swift` may list as dependencies.
    let own: [String]
    /// Modules of the toolchain and the system, beside the standard library itself.
    let system: [String]

    /// The table. Dependencies point one way only, and a module that isn't here has no room yet.
    static let all: [ModuleRow] = [
        ModuleRow(name: "ShuntSchema", own: [], system: []),
        ModuleRow(name: "ShuntCore", own: ["ShuntSchema"], system: ["Glibc"]),
        ModuleRow(name: "ShuntNative", own: cLibraries, system: ["Glibc", "Synchronization"]),
        ModuleRow(
            name: "ShuntServer",
            own: ["ShuntCore", "ShuntSchema", "ShuntNative"],
            system: ["Synchronization"]
        ),
        ModuleRow(
            name: "ShuntClient",
            own: ["ShuntSchema"],
            system: ["Foundation", "FoundationNetworking", "Synchronization"]
        ),
        ModuleRow(
            name: "shunt",
            own: ["ShuntServer", "ShuntCore", "ShuntSchema", "ShuntNative", "ShuntClient"],
            system: ["Synchronization"]
        ),
        // Only tests depend on it.
        ModuleRow(name: "TestSupport", own: [], system: ["Testing"]),
    ]

    /// Modules without Swift code, which only `ShuntNative` sees.
    static let cLibraries = ["CSQLite", "CCurl", "CMicroHTTPD", "CYAML", "CSimdJSON", "CDeflate", "CCrypto", "CLinux"]

    static func row(of module: String) -> ModuleRow? { all.first { $0.name == module } }
}

/// Imports that the module table doesn't allow. Tests may import anything but the C libraries.
func forbiddenImports(in file: SourceFile) -> [Finding] {
    guard file.isSwift, let module = file.module else { return [] }
    let isTest = file.path.hasPrefix("Tests/")
    return file.code.enumerated().compactMap { index, line in
        guard let imported = importedModule(line) else { return nil }
        if isTest {
            guard ModuleRow.cLibraries.contains(imported) else { return nil }
            return file.finding(at: index, "tests don't import \(imported); instead: ShuntNative's face of it")
        }
        guard let row = ModuleRow.row(of: module) else {
            return file.finding(at: index, "\(module) isn't in the module table; instead: a room that is, or a new row")
        }
        if (row.own + row.system).contains(imported) { return nil }
        let may = (row.own + row.system).joined(separator: ", ")
        return file.finding(
            at: index,
            "\(module) doesn't import \(imported); instead: \(may.isEmpty ? "the standard library only" : may)"
        )
    }
}

/// The top module that a line of code imports, or nil when the line isn't an import.
private func importedModule(_ line: Substring) -> String? {
    let words = line.split(separator: " ")
    guard let at = words.firstIndex(of: "import"), at + 1 < words.count else { return nil }
    let access: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
    guard words[..<at].allSatisfy({ $0.hasPrefix("@") || access.contains($0) }) else { return nil }
    let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor"]
    let names = words[(at + 1)...].drop { kinds.contains($0) }
    return names.first?.split(whereSeparator: { $0 == "." || $0 == ";" }).first.map(String.init)
}

/// Targets of `Package.swift` that the module table doesn't know, or that depend on more than it allows.
func packageAgainstTable(_ file: SourceFile) -> [Finding] {
    guard file.path == "Package.swift" else { return [] }
    return packageTargets(in: file.text).flatMap { target -> [Finding] in
        let at = target.line
        switch target.kind {
        case "systemLibrary":
            return ModuleRow.cLibraries.contains(target.name)
                ? [] : [file.finding(at: at, "\(target.name) isn't among the table's C libraries")]
        case "testTarget":
            return target.dependencies.filter(ModuleRow.cLibraries.contains).map {
                file.finding(at: at, "\(target.name) doesn't depend on \($0); instead: ShuntNative")
            }
        default:
            if ModuleRow.cLibraries.contains(target.name) { return [] }
            guard let row = ModuleRow.row(of: target.name) else {
                return [file.finding(at: at, "\(target.name) isn't in the module table")]
            }
            return target.dependencies.filter { !row.own.contains($0) }.map {
                file.finding(at: at, "\(target.name) doesn't depend on \($0) by the module table")
            }
        }
    }
}

/// A target as written in `Package.swift`.
struct PackageTarget: Equatable {
    let kind: String
    let name: String
    let dependencies: [String]
    /// Counted from 0.
    let line: Int
}

/// Every `.target(name: "…", dependencies: ["…"])` of a manifest, and `library("…", …)`, this one's short form of
/// `.systemLibrary`.
func packageTargets(in manifest: String) -> [PackageTarget] {
    let pattern =
        /(?:\.(target|executableTarget|testTarget|systemLibrary|plugin|macro)|\b(library))\(\s*(?:name:\s*)?"(?<name>\w+)"(?:,\s*dependencies:\s*\[(?<list>[^\]]*)\])?/
    return manifest.matches(of: pattern).map { match in
        let before = manifest[..<match.range.lowerBound]
        return PackageTarget(
            kind: match.output.1.map(String.init) ?? "systemLibrary",
            name: String(match.output.name),
            dependencies: (match.output.list ?? "").matches(of: /"(\w+)"/).map { String($0.output.1) },
            line: before.count { $0 == "\n" }
        )
    }
}
