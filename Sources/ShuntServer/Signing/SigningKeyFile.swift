internal import ShuntNative

/// A file with a signing key.
public enum SigningKeyFile {
    /// Where `shunt keygen` writes unless told otherwise.
    public static let defaultPath = "./signing.key"

    /// Makes a key and writes it into a new file that only its owner may read, mode 0600.
    ///
    /// - Throws: Why it can't be written. What is there already is never overwritten: documents may be signed with it.
    public static func create(_ path: String) throws(ConfigurationError) -> SigningKey {
        guard let made = SigningKey.make() else { throw ConfigurationError("\(path): no key could be made") }
        let folderPath = folder(of: path)
        var isMade = false
        do throws(FileError) {
            if let folder = try Folder(existing: folderPath) {
                try folder.create(name(of: path), with: Array(made.pem.utf8))
                isMade = true
            }
        } catch {
            guard error.isExisting else { throw ConfigurationError("\(error)") }
            throw ConfigurationError("\(path) is there already, and a key is never overwritten: choose another name")
        }
        guard isMade else { throw ConfigurationError("\(path): there is no folder \(folderPath)") }
        return made.key
    }

    /// The text of a key's file; nil when there is no such file.
    static func text(_ path: String) throws(FileError) -> String? {
        guard let folder = try Folder(existing: folder(of: path)) else { return nil }
        // Whoever names a device or a journal by mistake is told so soon.
        guard folder.size(of: name(of: path)) <= maximumBytes else { return "" }
        return try folder.read(name(of: path)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static let maximumBytes: Int64 = 4096

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func name(of path: String) -> String {
        String(path.split(separator: "/", omittingEmptySubsequences: false).last ?? "")
    }
}
