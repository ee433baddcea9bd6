internal import ShuntNative

/// A secret that was read. What describes it doesn't show it.
struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let text: String

    init(_ text: String) { self.text = text }

    var bytes: [UInt8] { Array(text.utf8) }

    var description: String { "***" }
    var debugDescription: String { "***" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where a secret of a channel is kept, and the place in `shunt.yaml` that says so.
struct SecretSetting: Sendable, Equatable {
    /// The key that names it, e.g. `secretFile`.
    var key: String
    var source: SecretSource
    /// `file:line:column` of its value.
    var place: String

    /// A bundle of all the certificates that browsers trust has some 220 KB.
    private static let largestFile: Int64 = 1 << 20

    /// Reads the secret.
    ///
    /// - Throws: Why it can't be read. Neither what was found nor the file's name is repeated: where somebody put the
    ///   secret itself, it would be shown.
    func read(channel: String) throws(ConfigurationError) -> Secret {
        let text: String?
        switch source {
        case .environment(let name):
            text = ProcessEnvironment.value(name)
            guard text != nil else { throw error(channel, "the variable \(name) isn't set") }
        case .file(let path):
            do throws(FileError) {
                text = try Self.contents(of: path)
            } catch {
                throw self.error(channel, "the file can't be read")
            }
            guard text != nil else { throw error(channel, "there is no such file") }
        }
        let secret = (text ?? "").trimmed
        guard !secret.isEmpty else { throw error(channel, "it's empty") }
        return Secret(secret)
    }

    private func error(_ channel: String, _ what: String) -> ConfigurationError {
        ConfigurationError("\(place) \(key) of the channel \(channel): \(what)")
    }

    private static func contents(of path: String) throws(FileError) -> String? {
        let slash = path.lastIndex(of: "/")
        let folderPath = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        guard let folder = try Folder(existing: folderPath) else { return nil }
        guard folder.size(of: name) <= largestFile else { return "" }
        return try folder.read(name).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension String {
    /// Without white space around it.
    fileprivate var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}

/// Takes secrets out of what receivers and libraries say.
struct SecretMask: Sendable, Equatable {
    private let secrets: [String]

    /// A mask for these secrets, and for the telling parts of these URLs.
    init(secrets: [Secret], urls: [String]) {
        var texts = secrets.flatMap { $0.text.split(whereSeparator: \.isWhitespace).map(String.init) }
        for url in urls {
            texts.append(url)
            // An answer may repeat a part of the path, or the value of a parameter.
            let rest = url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" && $0 != "?" }
            texts += rest.split { "/?&=#".contains($0) }.filter { $0.utf8.count >= 12 }.map(String.init)
            if let user = url.drop(while: { $0 != ":" }).dropFirst(3).split(separator: "/").first,
                let at = user.lastIndex(of: "@")
            {
                texts.append(String(user[..<at]))
            }
        }
        // The longest first, or a part would be masked inside the whole.
        self.secrets = texts.filter { $0.utf8.count >= 4 }.sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
    }

    func masked(_ text: String) -> String {
        secrets.reduce(text) { $0.replacing($1, with: "***") }
    }

    /// A URL that can be shown: who is asked, not for what.
    static func shown(_ url: String) -> String {
        let scheme = url.prefix { $0 != ":" }
        let rest = url.dropFirst(scheme.count + 3)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let tail = rest.dropFirst(authority.count)
        return "\(scheme)://\(host)" + (tail.isEmpty || tail == "/" ? "" : "/…")
    }
}
