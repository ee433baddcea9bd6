internal import Glibc

/// The clocks of the transport.
public enum HTTPClock {
    /// Nanoseconds since an arbitrary point (`CLOCK_MONOTONIC`); never goes back.
    public static var nowNanoseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// A time of the wall clock, in seconds since 1970, as a `Date` field has it (RFC 9110 5.6.7):
    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func date(secondsSince1970 seconds: Int) -> String {
        let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Jan", "Feb"]
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let days = seconds / 86_400
        let second = seconds % 86_400
        // Years that begin in March put the leap day last; 719,468 days lie between 0000-03-01 and 1970-01-01.
        let sinceEra = days + 719_468
        let era = sinceEra / 146_097
        let dayOfEra = sinceEra % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
        let time = "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
        return "\(names[days % 7]), \(two(day)) \(months[month]) \(year) \(time) GMT"
    }
}
