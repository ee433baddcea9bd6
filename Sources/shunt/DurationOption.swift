/// A time as options give it: `90s`, `30m`, `1h`, `7d`.
enum DurationOption {
    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

    /// In seconds, from 1 to `most`.
    static func seconds(_ name: String, of options: Options, most: Int64) throws(CommandFailure) -> Int64? {
        guard let text = options[name] else { return nil }
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()), number > 0,
            number <= most / unit
        else {
            let longest = most % 86_400 == 0 && most > 86_400 ? "\(most / 86_400)d" : "\(most / 3600)h"
            throw CommandFailure(.usage, "\(name) \(text): expected a time such as 90s, 30m or 1h, at most \(longest)")
        }
        return number * unit
    }
}
