internal import Glibc

extension Folder {
    /// The folder at that path, to be read only: it isn't made, and needn't be writable. nil when there is none.
    public init?(existing path: String) throws(FileError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw FileError(operation: "open folder", path: path)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw FileError(operation: "open folder", path: path, number: ENOTDIR)
        }
        self.path = path
    }
}
