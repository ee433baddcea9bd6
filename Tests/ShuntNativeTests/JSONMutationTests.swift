import Foundation
import TestSupport
import Testing

@testable import ShuntNative

/// Random documents, whole and broken, against two other readers.
@Suite struct JSONMutationTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `both readers agree on 20,000 mutated documents (seed)`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let limits = JSONLimits(depth: 6, values: 60)
        var document = JSONDocument(limits: limits)
        var accepted = 0
        for round in 0..<20_000 {
            let bytes = JSONSamples.mutated(&random)
            let violation = JSONDiagnosis.violation(in: bytes.span, limits: limits)
            var refusal: JSONError?
            do throws(JSONError) { try document.parse(bytes) } catch { refusal = error }
            accepted += refusal == nil ? 1 : 0
            if refusal != violation {
                Issue.record(
                    "round \(round): \(String(describing: refusal)), \(String(describing: violation)): \(bytes)"
                )
                return
            }
        }
        // The samples must exercise both answers.
        #expect(accepted > 2_000 && accepted < 18_000, "accepted \(accepted)")
    }

    @Test(.enabled(if: PythonOracle.isPresent, "python3 isn't installed, so its json module can't be asked"))
    func `Python's json module agrees on 30,000 mutated documents (seed 5)`() throws {
        var random = SeededGenerator(seed: 5)
        let documents = (0..<30_000).map { _ in JSONSamples.mutated(&random) }
        let verdicts = try PythonOracle.verdicts(on: documents)
        try #require(verdicts.count == documents.count)
        var document = JSONDocument(limits: JSONLimits(depth: 64))
        for (bytes, expected) in zip(documents, verdicts) {
            var summary: String?
            do throws(JSONError) {
                try document.parse(bytes)
                summary = JSONSamples.summary(of: document.root, in: document)
            } catch {
                // A refusal has no summary.
            }
            if summary != expected {
                Issue.record("\(String(describing: summary)), Python \(String(describing: expected)): \(bytes)")
                return
            }
        }
    }

    @Test(arguments: [6, 7] as [UInt64])
    func `flipped bytes never do more than be refused (seed)`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var document = JSONDocument(limits: JSONLimits(depth: 512))
        for _ in 0..<20_000 {
            var bytes = random.pick(JSONSamples.whole)
            for _ in 0...random.below(8) where !bytes.isEmpty {
                bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
            }
            // Ranges at both ends of the buffer, so that the sanitizer sees a read beyond them.
            let start = random.below(bytes.count)
            _ = try? document.parse(bytes, in: start..<bytes.count)
            _ = try? document.parse(bytes, in: 0..<start)
            guard (try? document.parse(bytes)) != nil else { continue }
            _ = JSONSamples.summary(of: document.root, in: document)
        }
    }
}

/// Documents to break, and a text that says what a document holds.
private enum JSONSamples {
    static let whole: [[UInt8]] = [
        #"{"eventId":"0190f3","error":{"domain":"verify","code":"8771","underlying":[{"code":"-1001"}]},"n":503}"#,
        #"[{"a":1,"b":-2.50e+3,"c":null},{"a":true,"b":false,"a\u0062":"x"}]"#,
        #"{"k":"\u00e9\uD83D\uDE00\n\\\"","漢字":"😀é","k\t":[[[[]]]],"\u006b":0}"#,
        #" [ 0 , -0.0 , 12345678901234567890123 , 1e400, 9223372036854775807, "" ] "#,
        #""just a string \/ with \\ escapes""#, "12.5e3", "null", "[]", "{}", #"{"":{"":{"":""}}}"#,
        "{\"context\": {\"x\" : 1 ,\t\"y\":\r\n\"z\"} }",
    ].map { Array($0.utf8) }

    private static let pieces: [[UInt8]] =
        [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\uD83D", "\\uDE00", "\\u0000", "\\u0061", "0", "-", ".",
            "e", "E+", "1", "null", "true", "fals", " ", "\n", "\0", "\u{1}", "\u{7F}", "é", "漢", "😀", "\u{FEFF}",
            "\"a\"",
            "\"a\":", ",\"a\":1", "[1]", "{\"a\":1}", "\u{A0}", "\\\"", "\"\"",
        ].map { Array($0.utf8) } + [
            [0x80], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF], [0xE6, 0xBC],
        ]

    /// A sample with nothing to four places changed.
    static func mutated(_ random: inout SeededGenerator) -> [UInt8] {
        var bytes = random.pick(whole)
        for _ in 0..<random.below(5) {
            let place = random.below(bytes.count + 1)
            let end = min(bytes.count, place + random.below(4))
            switch random.below(6) {
            case 0: bytes.insert(contentsOf: random.pick(pieces), at: place)
            case 1: bytes.replaceSubrange(place..<end, with: random.pick(pieces))
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + random.below(20))], at: place)
            case 4: bytes.removeSubrange(place...)
            default: if place < bytes.count { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
            }
        }
        return bytes
    }

    /// What Python's side prints for the same document: kinds, texts as hexadecimal UTF-8, numbers as sent.
    static func summary(of value: JSONValue, in document: borrowing JSONDocument) -> String {
        func hex(_ text: String?) -> String {
            (text ?? "").utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        switch document.kind(of: value) {
        case .null: return "z"
        case .bool: return document.bool(of: value) == true ? "t" : "f"
        case .integer, .number: return "#" + (document.numberText(of: value) ?? "?")
        case .string: return "\"" + hex(document.string(of: value))
        case .array, .object:
            let isObject = document.kind(of: value) == .object
            var parts: [String] = []
            var children = document.children(of: value)
            while let child = children.next(in: document) {
                let key = isObject ? hex(document.key(of: child)) + ":" : ""
                parts.append(key + summary(of: child, in: document))
            }
            return (isObject ? "{" : "[") + parts.joined(separator: ",") + (isObject ? "}" : "]")
        }
    }
}

/// Python's json module, made as strict as ours, over many documents in one process.
private enum PythonOracle {
    static let isPresent = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

    /// What is lax in that module is closed here: constants, equal keys, lone surrogates and NUL.
    private static let script = """
        import json, sys
        class Number(str): pass
        def refuse(*_): raise ValueError
        def members(pairs):
            if len({key for key, _ in pairs}) < len(pairs): raise ValueError
            return pairs
        def text(value):
            if "\\0" in value: raise ValueError
            return value.encode("utf-8").hex()
        def say(value):
            if value is None: return "z"
            if value is True: return "t"
            if value is False: return "f"
            if isinstance(value, Number): return "#" + value
            if isinstance(value, str): return '"' + text(value)
            if isinstance(value, tuple): return "{" + ",".join(text(k) + ":" + say(v) for k, v in value[0]) + "}"
            return "[" + ",".join(map(say, value)) + "]"
        decoder = dict(object_pairs_hook=lambda pairs: (members(pairs),), parse_constant=refuse,
                       parse_int=Number, parse_float=Number)
        for line in sys.stdin:
            try: print("+" + say(json.loads(bytes.fromhex(line).decode("utf-8"), **decoder)))
            except ValueError: print("-")
        """

    /// A summary for each document, nil where Python refuses it.
    static func verdicts(on documents: [[UInt8]]) throws -> [String?] {
        let digits = Array("0123456789abcdef".utf8)
        var input: [UInt8] = []
        for document in documents {
            for byte in document { input += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
            input.append(UInt8(ascii: "\n"))
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "shunt-json-\(UUID().uuidString)")
        try Data(input).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", script]
        process.standardInput = try FileHandle(forReadingFrom: file)
        process.standardOutput = output
        try process.run()
        let lines = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return lines.split(separator: "\n").map { $0.hasPrefix("+") ? String($0.dropFirst()) : nil }
    }
}
