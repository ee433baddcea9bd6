internal import ShuntNative

/// The configuration file: `shunt.yaml`.
public enum ConfigurationFile {
    /// The file that is read where none is named, if it is there.
    public static let defaultPath = "./shunt.yaml"

    /// Reads a file over the defaults; what it doesn't say stays as it was.
    ///
    /// Folders that it names are relative to its own folder, so that a daemon can be started from anywhere.
    ///
    /// - Parameter path: the file; nil for the default one, which needn't be there.
    /// - Throws: Everything that is wrong in the file, or why it can't be read.
    public static func read(_ path: String?) throws(ConfigurationError) -> Configuration {
        guard let bytes = try contents(of: path ?? defaultPath) else {
            guard let path else { return Configuration() }
            throw ConfigurationError("config \(path): there is no such file")
        }
        return try read(bytes, file: path ?? defaultPath)
    }

    static func read(_ bytes: [UInt8], file: String) throws(ConfigurationError) -> Configuration {
        var reader = FileReader(file: file)
        let text = YAMLDocument.read(bytes, file: file)
        for problem in text.problems { reader.note(problem) }
        var configuration = Configuration()
        // A file with nothing but comments says nothing, and nothing is needed.
        if let root = text.document?.root, !root.isNull {
            configuration = ConfigurationForm(folder: folder(of: file)).read(root, &reader)
        }
        guard reader.problems.isEmpty else {
            throw ConfigurationError(reader.problems.sorted { ($0.line, $0.column) < ($1.line, $1.column) })
        }
        return configuration
    }

    private static func contents(of path: String) throws(ConfigurationError) -> [UInt8]? {
        let name = String(path.split(separator: "/", omittingEmptySubsequences: false).last ?? "")
        let limit = YAMLDocument.Limits().bytes
        do throws(FileError) {
            guard let folder = try Folder(existing: folder(of: path) ?? ".") else { return nil }
            if folder.size(of: name) <= limit { return try folder.read(name) }
        } catch {
            throw ConfigurationError("config \(path): \(error)")
        }
        throw ConfigurationError("config \(path): expected at most \(limit) bytes")
    }

    /// The folder that a file is in; nil for the present one.
    private static func folder(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
