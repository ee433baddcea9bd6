internal import ShuntSchema

/// Dates as HTTP and mail write them.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// Reads an IMF-fixdate (RFC 9110, 5.6.7) such as `Sun, 06 Nov 1994 08:49:37 GMT`, which is the one form that may
    /// still be sent.
    static func time(_ text: String) -> Timestamp? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[0].hasSuffix(","), words[5] == "GMT",
            let month = months.firstIndex(of: String(words[2])), words[1].utf8.count == 2
        else { return nil }
        let number = month + 1
        return Timestamp(rfc3339: "\(words[3])-\(number < 10 ? "0" : "")\(number)-\(words[1])T\(words[4])Z")
    }

    /// A date of mail (RFC 5322, 3.3) in UTC, such as `Sun, 06 Nov 1994 08:49:37 +0000`.
    static func mailDate(_ time: Timestamp) -> String {
        let parts = time.rfc3339.split(separator: "T")
        let date = parts[0].split(separator: "-")
        let weekday = Int(((time.dayNumber % 7) + 7) % 7)
        let month = Int(date[1]).map { months[($0 - 1) % 12] } ?? ""
        return "\(days[weekday]), \(date[2]) \(month) \(date[0]) \(parts[1].prefix(8)) +0000"
    }
}
