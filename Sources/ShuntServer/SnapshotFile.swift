internal import ShuntCore
internal import ShuntNative

/// The last snapshot of the state, so that a restart needs to fold only what came after it.
///
/// It is only a shortcut: one that is missing, damaged or of another version is left aside, and the whole journal
/// is folded instead.
struct SnapshotFile {
    private static let magic = Array("shunt-snapshot-1\n".utf8)

    let folder: Folder
    var name = "snapshot"

    /// What the file says, or why it can't be used.
    enum Contents {
        case none
        case state(State)
        case unusable(String)
    }

    func read() -> Contents {
        do {
            guard let bytes = try folder.read(name) else { return .none }
            let headCount = Self.magic.count + Digest.byteCount
            guard bytes.count > headCount, bytes.starts(with: Self.magic) else { return .unusable("it has no header") }
            let body = Array(bytes[headCount...])
            guard Digest.sha256(body) == Digest(bytes: Array(bytes[Self.magic.count..<headCount])) else {
                return .unusable("its checksum doesn't match")
            }
            return .state(try State(decoding: body))
        } catch {
            return .unusable("\(error)")
        }
    }

    /// Keeps a file that can't be used from being overwritten: once the days behind it are removed it may be all
    /// that knows of a switch, and another version may read it.
    func setAside() {
        do throws(FileError) {
            try folder.rename(name, to: name + ".unusable")
        } catch {
            Log.warning("the snapshot can't be set aside: \(error)")
        }
    }

    /// - Parameter limit: larger ones aren't written.
    func write(_ state: State, upTo limit: Int = .max) throws(FileError) {
        let body = state.encoded()
        guard body.count <= limit else { return }
        try folder.replace(name, with: Self.magic + Digest.sha256(body).bytes + body)
    }
}
