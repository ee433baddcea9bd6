import ShuntCore
import ShuntNative
import ShuntSchema
import ShuntServer

/// `shunt localise`.
enum LocaliseCommand: Command {
    static let name = "localise"

    static let options = [
        OptionSpec(name: "--input"), OptionSpec(name: "--json", takesValue: false),
        OptionSpec(name: "--text", takesValue: false), OptionSpec(name: "--language"),
        OptionSpec(name: "--time", takesValue: false),
    ]

    static let help = """
        shunt localise: say what failures have in common that they normally haven't.

        Usage: shunt localise --input FILE.csv|- [--text] [--language en|zh] [--time]

        FILE is a table with names in its first line (RFC 4180, UTF-8):
          window      now or baseline
          failures    how many failures the row stands for
          attempts    how many attempts, optional; where each row of now has them they
                      stand for the baseline, and rows of baseline aren't needed
          any other   an attribute, e.g. app.version; empty says nothing

        Causes are printed as JSON, the likeliest first: attributes, count of how
        many, share, share at baseline, lift, score, and a sentence. The second is
        of what the first leaves. No daemon is needed. Bad rows are named on
        standard error and left out.

          --input FILE     the table; - is standard input
          --json           print JSON (as without it)
          --text           print sentences only
          --language       of the sentences: en or zh (default en)
          --time           say on standard error how long the search took

        Exit status: 0 done, also when nothing stands out; 1 the file or rows of it
        can't be read; 2 wrong usage.

        Example:
          shunt localise --input failures.csv
          shunt localise --input - --text --language zh < failures.csv

        """

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        if let argument = options.arguments.first {
            throw CommandFailure(.usage, "unexpected argument \(argument); expected --input FILE.csv")
        }
        guard let path = options["--input"] else { throw CommandFailure(.usage, "expected --input FILE.csv, or -") }
        guard !options.has("--text") || !options.has("--json") else {
            throw CommandFailure(.usage, "--text and --json: expected one of them")
        }
        let words: CauseText
        switch options["--language"] ?? "en" {
        case "en": words = .english
        case "zh": words = .chinese
        case let other: throw CommandFailure(.usage, "--language \(other): expected en or zh")
        }
        let file = try read(path)
        let name = path == "-" ? "standard input" : path
        for problem in file.problems { StandardStream.error.write("\(name):\(problem)".visible + "\n") }
        if file.problemCount > file.problems.count {
            StandardStream.error.write("\(name): and \(file.problemCount - file.problems.count) more\n")
        }
        guard file.hasGoodHeader else { return .failure }
        let table = file.table
        let began = (SystemClock.monotonicNanoseconds, SystemClock.threadNanoseconds)
        let found = Localiser.localise(table)
        if options.has("--time") {
            let micros = (SystemClock.monotonicNanoseconds - began.0) / 1000
            let busy = (SystemClock.threadNanoseconds - began.1) / 1000
            StandardStream.error.write("searched \(table.rowCount) rows in \(micros) us, \(busy) us of CPU\n")
        }
        StandardStream.output.write(options.has("--text") ? text(found, words) : json(found, words))
        return file.problemCount == 0 ? .success : .failure
    }

    private static func read(_ path: String) throws(CommandFailure) -> FailureTable {
        var table = FailureTable()
        do throws(FileError) {
            var file = try InputFile(path: path)
            let isWatched = StandardStream.error.isTerminal
            var bytes: Int64 = 0
            var shown: Int64 = 0
            while table.wantsMore {
                let chunk = try file.read(upTo: 1 << 18)
                if chunk.isEmpty { break }
                table.append(chunk)
                bytes += Int64(chunk.count)
                if isWatched, bytes >> 23 > shown {
                    shown = bytes >> 23
                    let whole = file.size.map { " of \($0 >> 20)" } ?? ""
                    StandardStream.error.write("\rread \(bytes >> 20)\(whole) MiB, \(table.rowCount) rows")
                }
            }
            if shown > 0 { StandardStream.error.write("\r\u{1B}[K") }
        } catch {
            throw CommandFailure(.failure, error.description)
        }
        table.finish()
        return table
    }

    private static func text(_ found: Localisation, _ words: CauseText) -> String {
        if found.causes.isEmpty { return words.nothing(found) + "\n" }
        return found.causes.enumerated().map { words.sentence($1, rank: $0) + "\n" }.joined()
    }

    private static func json(_ found: Localisation, _ words: CauseText) -> String {
        var writer = JSONWriter()
        found.write(to: &writer, text: words)
        return indented(writer.bytes)
    }

    /// JSON of this writer with a line for each member of an object and element of an array.
    private static func indented(_ json: [UInt8]) -> String {
        var result: [UInt8] = []
        var depth = 0
        var isInString = false
        var isEscaped = false
        func line() -> [UInt8] { [UInt8(ascii: "\n")] + [UInt8](repeating: UInt8(ascii: " "), count: depth * 2) }
        for (place, byte) in json.enumerated() {
            if isInString {
                result.append(byte)
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                result.append(byte)
                let isEmpty = json[place + 1] == UInt8(ascii: "]") || json[place + 1] == UInt8(ascii: "}")
                if !isEmpty { result += line() }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                let isEmpty = json[place - 1] == UInt8(ascii: "[") || json[place - 1] == UInt8(ascii: "{")
                if !isEmpty { result += line() }
                result.append(byte)
            case UInt8(ascii: ","): result += [byte] + line()
            case UInt8(ascii: ":"): result += [byte, UInt8(ascii: " ")]
            case UInt8(ascii: "\""):
                isInString = true
                result.append(byte)
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self) + "\n"
    }
}
