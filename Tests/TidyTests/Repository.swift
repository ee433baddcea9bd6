import Foundation

/// The package as it lies on disk: the root above this file, and what git knows below it.
enum Repository {
    /// The folder of `Package.swift`.
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent()

    enum Failure: Error {
        case gitFailed(status: Int32)
        case nothingTracked
    }

    private static let sourceEndings = [
        ".swift", ".h", ".c", ".cpp", ".modulemap", ".py", ".sh", ".js", ".css", ".html", "Makefile",
    ]
    private static let sourceFolders = ["scripts/", ".ci/"]

    /// Every source file that git tracks, and new ones that it doesn't ignore, so that a file is checked before it is
    /// added and not only on CI.
    static func sourceFiles() throws -> [SourceFile] { try files.get() }

    /// Read once for all checks.
    private static let files = Result { try readSourceFiles() }

    private static func readSourceFiles() throws -> [SourceFile] {
        let paths = try trackedPaths().filter { path in
            sourceEndings.contains(where: path.hasSuffix) || sourceFolders.contains(where: path.hasPrefix)
        }
        guard paths.contains("Package.swift") else { throw Failure.nothingTracked }
        return try paths.compactMap { path in
            let url = root.appending(path: path)
            // A file deleted but not yet committed is still in the index.
            guard FileManager.default.fileExists(atPath: url.path) else { return nil }
            return SourceFile(path: path, text: try String(contentsOf: url, encoding: .utf8))
        }
    }

    private static func trackedPaths() throws -> [String] {
        let git = Process()
        git.executableURL = URL(filePath: "/usr/bin/env")
        // CI may check out as one user and test as another, which git refuses unless told.
        git.arguments = [
            "git", "-c", "safe.directory=*", "-C", root.path, "ls-files", "-z", "--cached", "--others",
            "--exclude-standard",
        ]
        let output = Pipe()
        git.standardOutput = output
        try git.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        git.waitUntilExit()
        guard git.terminationStatus == 0 else { throw Failure.gitFailed(status: git.terminationStatus) }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\0").map(String.init).sorted()
    }
}
