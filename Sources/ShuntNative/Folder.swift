internal import Glibc

/// A folder on disk, and what a durable daemon does with the files in it.
public struct Folder: Sendable {
    /// Its path.
    public let path: String

    /// The folder at that path; made with its parents when it isn't there, readable by its owner only.
    public init(path: String) throws(FileError) {
        self.path = path
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += made.isEmpty || made.hasSuffix("/") ? String(part) : "/" + part
            guard unsafe mkdir(made, 0o700) == 0 else {
                if errno == EEXIST { continue }
                throw FileError(operation: "make folder", path: made)
            }
            // What is synced inside it is only as durable as its own name.
            try Self.sync(made + "/..")
        }
        guard unsafe access(path, R_OK | W_OK | X_OK) == 0 else {
            throw FileError(operation: "open folder", path: path)
        }
    }

    /// The path of a file in it.
    public func file(_ name: String) -> String {
        "\(path)/\(name)"
    }

    /// The names of everything in it, in order.
    public func names() throws(FileError) -> [String] {
        guard let stream = unsafe opendir(path) else { throw FileError(operation: "list folder", path: path) }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else { break }
            // In place: an entry is only as long as its name, so the whole field may not be read.
            let start = unsafe UnsafeRawPointer(entry).advanced(by: nameOffset)
            let name = unsafe String(cString: start.assumingMemoryBound(to: CChar.self))
            if name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw FileError(operation: "list folder", path: path) }
        return names.sorted()
    }

    /// The contents of a file, or nil when there is none.
    public func read(_ name: String) throws(FileError) -> [UInt8]? {
        let descriptor = unsafe open(file(name), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw FileError(operation: "read", path: file(name))
        }
        defer { close(descriptor) }
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw FileError(operation: "read", path: file(name))
            }
            if count == 0 { return contents }
            contents += chunk[..<count]
        }
    }

    /// Replaces a file's contents: after a crash at any moment there is the old file or the new one, whole.
    public func replace(_ name: String, with contents: [UInt8]) throws(FileError) {
        let temporary = file(name + ".new")
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(operation: "write", path: temporary) }
        do throws(FileError) {
            try Self.writeDurably(contents, to: descriptor, path: temporary)
            try rename(name + ".new", to: name)
        } catch {
            // On a full disk half a file would keep the rest from being written.
            unsafe unlink(temporary)
            throw error
        }
    }

    /// Gives a file another name, in the place of one that has that name; durable on return.
    public func rename(_ name: String, to newName: String) throws(FileError) {
        guard unsafe Glibc.rename(file(name), file(newName)) == 0 else {
            throw FileError(operation: "rename", path: file(name))
        }
        try Self.sync(path)
    }

    /// Removes a file; none there is no error.
    public func remove(_ name: String) throws(FileError) {
        guard unsafe unlink(file(name)) == 0 || errno == ENOENT else {
            throw FileError(operation: "remove", path: file(name))
        }
    }

    /// The size of a file in bytes; 0 when there is none.
    public func size(of name: String) -> Int64 {
        var status = stat()
        return unsafe stat(file(name), &status) == 0 ? Int64(status.st_size) : 0
    }

    /// When a file was changed last, in nanoseconds since the Unix epoch; 0 when there is none.
    public func changedNanoseconds(of name: String) -> Int64 {
        var status = stat()
        guard unsafe stat(file(name), &status) == 0 else { return 0 }
        return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }

    /// Writes, syncs and closes.
    static func writeDurably(_ contents: [UInt8], to descriptor: Int32, path: String) throws(FileError) {
        defer { close(descriptor) }
        var written = 0
        while written < contents.count {
            let count = unsafe contents.withUnsafeBytes { bytes in
                unsafe write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw FileError(operation: "write", path: path)
            }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw FileError(operation: "sync", path: path) }
    }

    /// Makes the names in a folder durable.
    static func sync(_ path: String) throws(FileError) {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(operation: "sync folder", path: path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileError(operation: "sync folder", path: path) }
    }
}

/// Holds a file's lock for as long as it lives; the system lets go of it when the process ends, however it ends.
public struct FileLock: ~Copyable, Sendable {
    private let descriptor: Int32

    /// Takes the lock of a file, which is made when it isn't there.
    ///
    /// - Returns: nil when another process holds it.
    public static func take(path: String) throws(FileError) -> FileLock? {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(operation: "open", path: path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = errno
            close(descriptor)
            if error == EWOULDBLOCK { return nil }
            throw FileError(operation: "lock", path: path, number: error)
        }
        return FileLock(descriptor: descriptor)
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }
}

/// What the system said when a file operation failed.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was tried.
    public var operation: String
    /// On what.
    public var path: String
    /// The system's error number.
    public var number: Int32

    /// Whether something that was to be made is there already.
    public var isExisting: Bool { number == EEXIST }

    init(operation: String, path: String, number: Int32 = errno) {
        self.operation = operation
        self.path = path
        self.number = number
    }

    /// E.g. `write /data/snapshot.new: No space left on device`.
    public var description: String { unsafe "\(operation) \(path): \(String(cString: strerror(number)))" }
}
