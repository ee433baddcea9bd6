import Foundation
import ShuntNative
import Testing

/// Folders, files that are replaced as a whole, and locks, on the real file system.
@Suite final class FolderTests {
    private let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "shunt-folder-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    @Test func `a folder is made with its parents, for its owner only`() throws {
        let folder = try Folder(path: "\(path)/one/two//three/")
        #expect(try folder.names().isEmpty)
        for part in ["one", "one/two", "one/two/three"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(part)")
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
        _ = try Folder(path: "\(path)/one/two/three")
    }

    @Test func `a file in the way of a folder is an error that names it`() throws {
        _ = FileManager.default.createFile(atPath: "\(path)/file", contents: nil)
        let error = #expect(throws: FileError.self) { _ = try Folder(path: "\(self.path)/file/below") }
        #expect(error?.path == "\(path)/file/below")
        #expect(error?.number == ENOTDIR)
    }

    @Test func `names come in order, the long and the odd ones too, without dots`() throws {
        let folder = try Folder(path: path)
        let names = [String(repeating: "n", count: 255), "a", "ä", " ", ".hidden", "b\nc", "2026-11-30.db"]
        for name in names { try folder.replace(String(name.prefix(251)), with: [1]) }
        #expect(try folder.names() == names.map { String($0.prefix(251)) }.sorted())
    }

    @Test func `many names are all listed`() throws {
        let folder = try Folder(path: path)
        let names = (0..<2000).map { "file-\($0)-" + String(repeating: "x", count: $0 % 200) }
        for name in names { _ = FileManager.default.createFile(atPath: folder.file(name), contents: nil) }
        #expect(try folder.names() == names.sorted())
    }

    @Test(arguments: [0, 1, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 3_000_000])
    func `a file is read back as it was replaced`(size: Int) throws {
        let folder = try Folder(path: path)
        let contents = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try folder.replace("file", with: [9, 9, 9])
        try folder.replace("file", with: contents)
        #expect(try folder.read("file") == contents)
        #expect(folder.size(of: "file") == Int64(size))
        #expect(try folder.names() == ["file"])
    }

    @Test func `a file that isn't there is nil, of no size, and removed without complaint`() throws {
        let folder = try Folder(path: path)
        #expect(try folder.read("none") == nil)
        #expect(folder.size(of: "none") == 0)
        try folder.remove("none")
        try folder.replace("some", with: [1])
        try folder.remove("some")
        #expect(try folder.read("some") == nil)
    }

    @Test func `a replacement that can't take its place leaves nothing beside it`() throws {
        let folder = try Folder(path: path)
        _ = try Folder(path: folder.file("taken/inside"))
        let error = #expect(throws: FileError.self) { try folder.replace("taken", with: [1, 2, 3]) }
        #expect(error?.operation == "rename")
        #expect(try folder.names() == ["taken"])
    }

    @Test func `a renamed file takes the place of the other`() throws {
        let folder = try Folder(path: path)
        try folder.replace("old", with: [1])
        try folder.replace("new", with: [2])
        try folder.rename("old", to: "new")
        #expect(try folder.read("new") == [1])
        #expect(try folder.names() == ["new"])
        #expect(throws: FileError.self) { try folder.rename("old", to: "new") }
    }

    @Test func `errors say what was tried, on what, and why`() throws {
        let folder = try Folder(path: path)
        _ = try Folder(path: folder.file("below"))
        let error = #expect(throws: FileError.self) { _ = try folder.read("below") }
        #expect(error?.description == "read \(path)/below: Is a directory")
    }

    @Test func `a lock is held by one at a time, and let go with its holder`() throws {
        var first = try FileLock.take(path: "\(path)/lock")
        let isHeld = first != nil
        #expect(isHeld)
        let isTakenTwice = try FileLock.take(path: "\(path)/lock") != nil
        #expect(!isTakenTwice)
        first = nil
        let isFree = try FileLock.take(path: "\(path)/lock") != nil
        #expect(isFree)
    }

    @Test func `reading and writing leave no descriptor open`() throws {
        let folder = try Folder(path: path)
        let before = try openHere()
        for _ in 0..<50 {
            try folder.replace("file", with: [1])
            _ = try folder.read("file")
            _ = try folder.names()
            _ = try? folder.read("none")
            _ = try? folder.rename("none", to: "nowhere")
            _ = try Folder(path: "\(path)/a/b")
            _ = try FileLock.take(path: "\(path)/lock")
        }
        #expect(try openHere() == before)
    }

    /// How many descriptors of this process lead into the test's folder.
    private func openHere() throws -> Int {
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return names.count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return target?.hasPrefix(path) ?? false
        }
    }
}
