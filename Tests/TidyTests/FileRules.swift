/// The longest a file may get, in lines. Past it a file holds more than one thing.
let longestFile = 400

/// Files that are too long.
func tooLong(_ file: SourceFile) -> [Finding] {
    guard file.lines.count > longestFile else { return [] }
    return [
        file.finding(
            at: longestFile,
            "\(file.lines.count) lines, \(longestFile) at most; instead: cut it along a sub-noun, one type a file"
        )
    ]
}

/// Folders that mean that a room is missing.
private let namelessRooms: Set<String> = [
    "util", "utils", "utility", "utilities", "helper", "helpers", "misc", "common",
]

/// Files in a folder, or with a name, that says nothing about what is inside.
func namelessRoom(_ file: SourceFile) -> [Finding] {
    let names = file.path.split(separator: "/").map { $0.split(separator: ".").first ?? "" }
    guard let name = names.first(where: { namelessRooms.contains($0.lowercased()) }) else { return [] }
    return [file.finding(at: 0, "`\(name)` names no room; instead: the noun of the field that this is about")]
}
