import TestSupport
import Testing

@testable import ShuntServer

/// Lines of the log stay lines, whatever reporters send.
@Suite struct LogTests {
    @Test(arguments: [
        Row("plain ä 中 👩 \\", "plain ä 中 👩 \\"),
        Row("two\nlines\r\n", "two\\u{a}lines\\u{d}\\u{a}"),
        Row("\u{1B}[31mred\u{7}", "\\u{1b}[31mred\\u{7}"),
        Row("\u{0}\u{7F}\u{85}\u{2028}\u{2029}", "\\u{0}\\u{7f}\\u{85}\\u{2028}\\u{2029}"),
        Row("\u{202E}txt.exe\u{2066}", "\\u{202e}txt.exe\\u{2066}"),
        Row("", ""),
    ])
    func `what isn't text is shown by its number`(row: Row<String>) {
        #expect(Log.line(row.name) == row.value)
    }
}
