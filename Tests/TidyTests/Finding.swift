/// What a check has against one line, printed so that editors and terminals can jump there.
struct Finding: Hashable, CustomStringConvertible {
    let path: String
    let line: Int
    let message: String

    var description: String { "\(path):\(line): \(message)" }
}
