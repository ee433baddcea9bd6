import Foundation
import ShuntNative
import Testing

/// A folder of its own for one test, removed with everything in it when the last user lets go.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "shunt-server-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The folder as the daemon sees it.
    func folder() throws -> Folder { try Folder(path: path) }

    /// Flips bits of a file: the given byte is combined with the mask.
    func flip(_ name: String, at offset: Int, mask: UInt8 = 0xFF) throws {
        var bytes = try contents(name)
        bytes[offset] ^= mask
        try write(bytes, to: name)
    }

    func contents(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(path)/\(name)")
    }
}

/// A file system of a few hundred kilobytes, so that a full disk is a real one. Mounting it needs rights that not
/// every machine gives.
final class SmallDisk: Sendable {
    let folder: TemporaryFolder

    /// Whether this process may mount one.
    static let isAvailable: Bool = (try? SmallDisk(kibibytes: 64)) != nil

    init(kibibytes: Int) throws {
        folder = try TemporaryFolder()
        try Self.run("mount", "-t", "tmpfs", "-o", "size=\(kibibytes)k,mode=0700", "none", folder.path)
    }

    deinit {
        try? Self.run("umount", "--lazy", folder.path)
    }

    /// Takes all the room that is left.
    func fill() throws {
        let path = "\(folder.path)/ballast"
        try folder.write([], to: "ballast")
        let file = try #require(FileHandle(forWritingAtPath: path))
        for size in [4096, 512, 1] {
            while (try? file.write(contentsOf: [UInt8](repeating: 7, count: size))) != nil {}
        }
        try? file.close()
    }

    /// Gives the room back.
    func free() throws {
        try folder.remove("ballast")
    }

    private struct Refused: Error {}

    private static func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Refused() }
    }
}
