import ShuntNative
import ShuntSchema

/// How far a file was sent, kept beside it so that the same command goes on where it stopped.
///
/// The run's name goes into the identities of events that have none, so that a batch whose answer was lost can be
/// sent again without counting twice.
struct SendProgress {
    private(set) var run: String
    private(set) var acknowledged: Int
    private let place: (folder: Folder, name: String)?
    private let size: Int64?
    /// The digest of the file's beginning: another file of the same name and size is another run.
    private let beginning: String

    /// The progress of a file; a new run when there is none, or when it is another file now.
    init(of path: String, size: Int64?) {
        let fresh = SecureRandom.bytes(12).map { byte in String(byte, radix: 36) }.joined()
        run = fresh
        acknowledged = 0
        self.size = size
        beginning = Self.digestOfBeginning(path)
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let parent = parts.dropLast().joined(separator: "/")
        guard size != nil, path != "-", let name = parts.last,
            let folder = try? Folder(path: parent.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : parent)
        else {
            place = nil
            return
        }
        place = (folder, "\(name).sending")
        guard let bytes = try? folder.read("\(name).sending") else { return }
        var document = JSONDocument()
        guard (try? document.parse(bytes)) != nil, let size,
            document.member("size", of: document.root).flatMap({ document.int64(of: $0) }) == size,
            document.member("beginning", of: document.root).flatMap({ document.string(of: $0) }) == beginning,
            let run = document.member("run", of: document.root).flatMap({ document.string(of: $0) }),
            let done = document.member("acknowledged", of: document.root).flatMap({ document.int64(of: $0) }),
            done >= 0
        else { return }
        self.run = run
        acknowledged = Int(done)
    }

    /// Whether the next run of the same command can go on from here.
    var isKept: Bool { place != nil }

    mutating func advance(by count: Int) {
        acknowledged += count
        guard let place else { return }
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        writer.field("run", run)
        writer.field("size", size)
        writer.field("beginning", beginning)
        writer.field("acknowledged", acknowledged)
        writer.endObject()
        // A folder that can't be written costs the resumption, not the sending.
        try? place.folder.replace(place.name, with: writer.bytes)
    }

    private static func digestOfBeginning(_ path: String) -> String {
        guard path != "-", var file = try? InputFile(path: path), let bytes = try? file.read(upTo: 1 << 16) else {
            return ""
        }
        return Digest.sha256(bytes).hexadecimal
    }

    func finish() {
        if let place { try? place.folder.remove(place.name) }
    }
}
