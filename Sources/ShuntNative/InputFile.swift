internal import Glibc

/// A file, or standard input, read from its front.
public struct InputFile: ~Copyable {
    /// Its size in bytes; nil for what has none, such as a pipe.
    public let size: Int64?

    private let descriptor: Int32
    private let path: String

    /// Opens a file; `-` is standard input.
    public init(path: String) throws(FileError) {
        self.path = path
        let descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(operation: "open", path: path) }
        var status = stat()
        let isKnown = unsafe fstat(descriptor, &status) == 0
        if isKnown, status.st_mode & S_IFMT == S_IFDIR {
            if descriptor != STDIN_FILENO { close(descriptor) }
            throw FileError(operation: "read", path: path, number: EISDIR)
        }
        size = isKnown && status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
        self.descriptor = descriptor
    }

    deinit {
        if descriptor != STDIN_FILENO { close(descriptor) }
    }

    /// The next bytes, at most `count`; none at the end.
    public mutating func read(upTo count: Int) throws(FileError) -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: count)
        while true {
            let got = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if got >= 0 { return Array(chunk[..<got]) }
            guard errno == EINTR else { throw FileError(operation: "read", path: path) }
        }
    }
}
