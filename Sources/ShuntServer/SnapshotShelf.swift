internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// A snapshot of each day that the journal keeps, so that decisions can be replayed when its beginning is gone.
///
/// A start never looks at them, and each is only a shortcut: one that is missing costs that its decisions can't be
/// replayed any more.
struct SnapshotShelf {
    /// The folder's name in the data folder.
    static let name = "snapshots"
    /// Larger ones aren't kept: with 30 days they take 2 GiB at most.
    static let maximumBytes = 64 << 20

    private let path: String

    /// The shelf of a data folder.
    init(data: Folder) {
        path = data.file(Self.name)
    }

    /// Keeps a state as that of its day, if it is the day's first.
    func keep(_ state: State) {
        let name = state.at.dateText
        do throws(FileError) {
            let folder = try Folder(path: path)
            guard folder.size(of: name) == 0 else { return }
            try SnapshotFile(folder: folder, name: name).write(state, upTo: Self.maximumBytes)
        } catch {
            Log.warning("the day's snapshot can't be kept, its decisions can't be replayed later: \(error)")
        }
    }

    /// Removes what is of days before the first that is kept.
    func remove(before first: Int64) throws(FileError) {
        guard let folder = try Folder(existing: path) else { return }
        for (name, day) in try Self.days(in: folder) where day < first { try folder.remove(name) }
    }

    /// The newest state that had not got to a version; nil where there is none.
    func state(before version: UInt64) throws(FileError) -> State? {
        guard let folder = try Folder(existing: path) else { return nil }
        for (name, _) in try Self.days(in: folder).sorted(by: { $0.day > $1.day }) {
            // One of another version of Shunt is as good as none.
            guard case .state(let state) = SnapshotFile(folder: folder, name: name).read() else { continue }
            if state.switches.version < version { return state }
        }
        return nil
    }

    private static func days(in folder: Folder) throws(FileError) -> [(name: String, day: Int64)] {
        try folder.names().compactMap { name in
            Timestamp(rfc3339: "\(name)T00:00:00Z").map { (name, $0.dayNumber) }
        }
    }
}
