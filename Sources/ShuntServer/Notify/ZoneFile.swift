internal import ShuntNative

/// The time zones of this machine: one compiled file (RFC 8536) each.
enum ZoneFile {
    static let folder = "/usr/share/zoneinfo"

    /// Reads a zone by its name in the IANA database, e.g. `Asia/Shanghai`; nil when there is none.
    static func read(_ name: String) -> LocalZone? {
        if name == "UTC" { return .utc }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        // Names only, nothing that leads out of the folder.
        let isName = parts.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { byte in
                    byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                        || "-_+".utf8.contains(byte)
                }
        }
        guard isName, let file = parts.last else { return nil }
        let path = ([folder[...]] + parts.dropLast()).joined(separator: "/")
        guard let folder = try? Folder(existing: path), folder.size(of: String(file)) <= 1 << 20,
            let bytes = try? folder.read(String(file))
        else { return nil }
        return zone(bytes)
    }

    /// Reads the second block of a file, whose times have 64 bits. The rule for times past its last transition isn't
    /// read: Debian's files list them up to 2037.
    static func zone(_ bytes: [UInt8]) -> LocalZone? {
        var reader = ZoneReader(bytes: bytes)
        guard let first = reader.header(), first.version >= UInt8(ascii: "2") else { return nil }
        reader.skip(first.bodyCount(timeBytes: 4))
        guard let header = reader.header() else { return nil }
        let times = (0..<header.times).map { _ in reader.integer(bytes: 8) }
        let kinds = (0..<header.times).map { _ in Int(reader.integer(bytes: 1) & 0xFF) }
        var types: [(seconds: Int64, nameAt: Int)] = []
        for _ in 0..<header.types {
            let seconds = reader.integer(bytes: 4)
            _ = reader.integer(bytes: 1)
            types.append((seconds, Int(reader.integer(bytes: 1) & 0xFF)))
        }
        let letters = reader.bytes(header.letters)
        guard !reader.isShort, let start = types.first else { return nil }
        func offset(_ type: (seconds: Int64, nameAt: Int), from: Int64) -> LocalZone.Offset {
            let name = String(decoding: letters.dropFirst(type.nameAt).prefix { $0 != 0 }, as: UTF8.self)
            return LocalZone.Offset(from: from, seconds: type.seconds, name: name)
        }
        var offsets = [offset(start, from: .min)]
        for (time, kind) in zip(times, kinds) {
            guard kind < types.count else { return nil }
            offsets.append(offset(types[kind], from: time))
        }
        return LocalZone(offsets: offsets)
    }
}

/// Reads the numbers of a zone's file: big-endian, signed.
private struct ZoneReader {
    struct Header {
        var version: UInt8
        var times: Int
        var types: Int
        var letters: Int
        var leaps: Int
        var standards: Int
        var universals: Int

        func bodyCount(timeBytes: Int) -> Int {
            times * (timeBytes + 1) + types * 6 + letters + leaps * (timeBytes + 4) + standards + universals
        }
    }

    private let all: [UInt8]
    private var place = 0
    private(set) var isShort = false

    init(bytes: [UInt8]) { all = bytes }

    mutating func header() -> Header? {
        let magic = bytes(4)
        let version = bytes(1).first ?? 0
        skip(15)
        let counts = (0..<6).map { _ in Int(integer(bytes: 4)) }
        guard !isShort, magic == Array("TZif".utf8), counts.allSatisfy({ (0...100_000).contains($0) }) else {
            return nil
        }
        return Header(
            version: version,
            times: counts[3],
            types: counts[4],
            letters: counts[5],
            leaps: counts[2],
            standards: counts[1],
            universals: counts[0]
        )
    }

    mutating func skip(_ count: Int) { _ = bytes(count) }

    mutating func bytes(_ count: Int) -> [UInt8] {
        guard count <= all.count - place else {
            isShort = true
            return [UInt8](repeating: 0, count: min(count, 16))
        }
        defer { place += count }
        return Array(all[place..<place + count])
    }

    mutating func integer(bytes count: Int) -> Int64 {
        let bits = bytes(count).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let unused = UInt64(64 - count * 8)
        return Int64(bitPattern: bits << unused) >> Int64(unused)
    }
}
