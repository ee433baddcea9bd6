internal import Glibc

extension Folder {
    /// Makes a file that only its owner may read, mode 0600; durable on return.
    ///
    /// - Throws: An error with `isExisting` when there is something of that name, which stays as it is.
    public func create(_ name: String, with contents: [UInt8]) throws(FileError) {
        let path = file(name)
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(operation: "make", path: path) }
        do throws(FileError) {
            try Self.writeDurably(contents, to: descriptor, path: path)
            try Self.sync(self.path)
        } catch {
            // Half a secret is of no use, and would be in the way of a whole one.
            unsafe unlink(path)
            throw error
        }
    }
}
