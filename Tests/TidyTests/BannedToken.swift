/// A spelling that the project doesn't use, what to write instead, and where it is right all the same.
struct BannedToken {
    let token: String
    let replacement: String
    /// Where the ban holds: paths, or folders with a slash at the end.
    var within = everywhere
    /// Where the token is allowed although the ban holds around it.
    var allowed: [String] = []

    static let everywhere = ["Package.swift", "Sources/", "Tests/"]
    static let pure = ["Sources/ShuntCore/", "Sources/ShuntSchema/"]

    /// The list. An entry without `allowed` has no exception, and gets none.
    static let all: [BannedToken] =
        [
            BannedToken(token: "@unchecked", replacement: "a value, or a Mutex<Value> in a final class: Sendable"),
            BannedToken(token: "nonisolated(unsafe)", replacement: "a Mutex<Value>"),
            BannedToken(token: "try!", replacement: "try with typed throws; in a test a throwing test function"),
            BannedToken(token: "as!", replacement: "as? with a guard"),
            BannedToken(
                token: "fatalError(",
                replacement: "a typed error for what the world can do, precondition for our own mistakes"
            ),
            BannedToken(token: "DispatchQueue.main", replacement: "the thread or task that owns the work"),
            BannedToken(
                token: "unsafe",
                replacement: "a safe face in ShuntNative",
                allowed: ["Sources/ShuntNative/"]
            ),
            BannedToken(
                token: "print(",
                replacement: "the log; in a test Issue.record or a trait's comment",
                allowed: ["Sources/shunt/"]
            ),
            BannedToken(
                token: "debugPrint(",
                replacement: "the log",
                allowed: ["Sources/shunt/"]
            ),
            BannedToken(token: "NSLog(", replacement: "the log"),
        ] + sleeping + impure

    /// A test that sleeps is slow when it passes and wrong when the machine is slow.
    private static let sleeping = ["sleep(", "usleep(", "nanosleep("].map {
        BannedToken(token: $0, replacement: "a wait for the event itself, with a bound", within: ["Tests/"])
    }

    /// What would make the fold depend on more than its entries.
    private static let impure =
        [
            "Date()", "Date.now", ".now", "ContinuousClock", "SuspendingClock", "DispatchTime", "clock_gettime(",
            "gettimeofday(", "time(nil)",
        ].map {
            BannedToken(token: $0, replacement: "the entry's `at`, given as a parameter", within: pure)
        }
        + [
            ".random(", ".randomElement(", ".shuffle(", ".shuffled(", "SystemRandomNumberGenerator", "UUID()",
        ].map {
            BannedToken(token: $0, replacement: "a value in the entry, drawn by the shell", within: pure)
        }
        + [".hashValue", "Hasher()"].map {
            BannedToken(
                token: $0,
                replacement: "a digest: Swift's hashes differ in each process",
                within: pure,
                // Finds things, as a dictionary does.
                allowed: ["Sources/ShuntCore/Windows/SliceHash.swift"]
            )
        }

    /// Words in comments that mean that the work isn't done.
    static let unfinished = ["FIXME", "TODO", "XXX"]
}

/// Banned tokens in the code of a Swift file.
func bannedTokens(in file: SourceFile) -> [Finding] {
    guard file.isSwift else { return [] }
    let bans = BannedToken.all.filter { file.isIn($0.within) && !file.isIn($0.allowed) }
    return file.code.enumerated().flatMap { index, line in
        bans.filter { holds(line, $0.token) }.map {
            file.finding(at: index, "`\($0.token)` isn't used here; instead: \($0.replacement)")
        }
    }
}

/// Marks of unfinished work in the comments of a file, of whatever language.
func unfinishedWork(in file: SourceFile) -> [Finding] {
    file.comments.enumerated().flatMap { index, line in
        BannedToken.unfinished.filter { holds(line, $0) }.map {
            file.finding(at: index, "\($0) is unfinished work; instead: do it now, or open an issue")
        }
    }
}

/// A `!` that unwraps or declares an implicitly unwrapped optional: one that stands right behind an operand or a type.
func forceUnwraps(in file: SourceFile) -> [Finding] {
    guard file.isSwift else { return [] }
    return file.code.enumerated().compactMap { index, line in
        unwraps(line) ? file.finding(at: index, "a force unwrap; instead: guard let, ?? or try #require") : nil
    }
}

private func unwraps(_ line: Substring) -> Bool {
    let text = line.utf8
    return text.indices.contains { index in
        guard text[index] == UInt8(ascii: "!"), index > text.startIndex else { return false }
        // `a!=b` would be the operator; swift format puts spaces around that one.
        let next = text.index(after: index)
        if next < text.endIndex, text[next] == UInt8(ascii: "=") { return false }
        // `try!` and `as!` have an entry of their own, with a better replacement.
        let before = line[..<index]
        if holds(before.suffix(4), "try") || holds(before.suffix(3), "as") { return false }
        guard let last = before.utf8.last else { return false }
        return isWord(last) || ")]}>?\"`".utf8.contains(last)
    }
}

/// Whether the line holds the token as a whole: an end that is a letter has no further letter beside it.
func holds(_ line: Substring, _ token: String) -> Bool {
    let text = line.utf8
    guard let first = token.utf8.first, let last = token.utf8.last else { return false }
    var rest = text[...]
    while let start = rest.firstIndex(of: first) {
        rest = rest[text.index(after: start)...]
        guard text[start...].starts(with: token.utf8) else { continue }
        let end = text.index(start, offsetBy: token.utf8.count)
        if isWord(first), let before = text[..<start].last, isWord(before) { continue }
        if isWord(last), let after = text[end...].first, isWord(after) { continue }
        return true
    }
    return false
}

private func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
    default: byte >= 0x80
    }
}
