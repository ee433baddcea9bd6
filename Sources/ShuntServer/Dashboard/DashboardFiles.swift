internal import ShuntNative

/// The web dashboard's files as they are served: read once, kept in memory, each with the replies for it.
///
/// Nothing is looked up on disk for a request, so no address can lead out of the folder.
struct DashboardFiles: Sendable {
    /// The largest set that is served, in files and in bytes: a folder that was named by mistake isn't read whole.
    static let maximumFiles = 200
    static let maximumBytes: Int64 = 8 << 20
    /// How deep its folders may lie.
    private static let maximumDepth = 3

    /// The types of files that are served; others in the folder are left alone.
    private static let types: [String: String] = [
        "html": "text/html; charset=utf-8",
        "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8",
        "json": "application/json",
        "svg": "image/svg+xml",
        "png": "image/png",
        "woff2": "font/woff2",
    ]

    /// The page at `/`.
    let page: DashboardFile
    /// The others, by the rest of their address after `/web/`.
    let assets: [String: DashboardFile]

    /// Reads a folder with `index.html` in it; nil where there is none.
    ///
    /// The set's hash is part of the address of each file but the page: modules import one another by relative
    /// addresses, so a file that changes changes the addresses of all, and caches may keep them for ever.
    init?(readingFrom path: String) throws {
        guard let folder = try Folder(existing: path) else { return nil }
        var contents: [(name: String, bytes: [UInt8])] = []
        var size: Int64 = 0
        try Self.read(folder, prefix: "", depth: 1, into: &contents, size: &size)
        guard let index = contents.first(where: { $0.name == "index.html" }) else { return nil }
        let hash = Self.hash(of: contents)
        let html = String(decoding: index.bytes, as: UTF8.self).replacing("=\"web/", with: "=\"web/\(hash)/")
        page = DashboardFile(Array(html.utf8), type: "text/html; charset=utf-8", isForever: false)
        var assets: [String: DashboardFile] = [:]
        for (name, bytes) in contents where name != "index.html" {
            guard let type = Self.type(of: name) else { continue }
            assets["\(hash)/\(name)"] = DashboardFile(bytes, type: type, isForever: true)
        }
        self.assets = assets
    }

    private static func type(of name: String) -> String? {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        return types[String(name[name.index(after: dot)...])]
    }

    /// The media type of an address, for who asks for some types only.
    static func mediaType(of path: String) -> (type: String, subtype: String) {
        let words = (type(of: path) ?? "application/json").split(separator: ";")[0].split(separator: "/")
        return (String(words[0]), String(words[1]))
    }

    private static func read(
        _ folder: Folder,
        prefix: String,
        depth: Int,
        into contents: inout [(name: String, bytes: [UInt8])],
        size: inout Int64
    ) throws {
        for name in try folder.names() where !name.hasPrefix(".") {
            guard type(of: name) != nil else {
                guard depth < maximumDepth, !name.contains("."), let inner = try? Folder(existing: folder.file(name))
                else { continue }
                try read(inner, prefix: "\(prefix)\(name)/", depth: depth + 1, into: &contents, size: &size)
                continue
            }
            size += folder.size(of: name)
            guard size <= maximumBytes, contents.count < maximumFiles else { throw DashboardTooLarge() }
            guard let bytes = try folder.read(name) else { continue }
            contents.append(("\(prefix)\(name)", bytes))
        }
    }

    private static func hash(of contents: [(name: String, bytes: [UInt8])]) -> String {
        var text: [UInt8] = []
        for (name, bytes) in contents {
            text += "\(name) \(bytes.count) \(Digest.sha256(bytes).hexadecimal)\n".utf8
        }
        return String(Digest.sha256(text).hexadecimal.prefix(16))
    }
}

/// A folder that is no dashboard.
struct DashboardTooLarge: Error, CustomStringConvertible {
    var description: String {
        "more than \(DashboardFiles.maximumFiles) files or \(DashboardFiles.maximumBytes >> 20) MiB"
    }
}

/// One file of the dashboard, ready to be sent.
struct DashboardFile: Sendable {
    /// What a page of the daemon's own may do: run scripts and styles that come from here, and speak with here.
    /// Text that got into a page as markup could do nothing, and nobody else's page may frame it.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    /// Fields of everything that the dashboard answers.
    static let guards: [(name: String, value: String)] = [
        ("Content-Security-Policy", policy),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
    ]

    let etag: String
    private let found: HTTPReply
    private let notModified: HTTPReply

    /// - Parameter isForever: whether the address names this very content; otherwise caches ask each time.
    init(_ bytes: [UInt8], type: String, isForever: Bool) {
        etag = "\"\(Digest.sha256(bytes).hexadecimal.prefix(32))\""
        let cacheControl = isForever ? "public, max-age=31536000, immutable" : "no-cache"
        let fields = [("ETag", etag), ("Cache-Control", cacheControl)] + Self.guards
        found = HTTPReply(status: 200, headers: [("Content-Type", type)] + fields, body: bytes)
        notModified = HTTPReply(status: 304, headers: fields)
    }

    /// The reply to a request that carries this `If-None-Match`, if any.
    func reply(ifNoneMatch: String?) -> HTTPReply {
        guard let ifNoneMatch, EntityTags.matches(ifNoneMatch, etag) else { return found }
        return notModified
    }
}
