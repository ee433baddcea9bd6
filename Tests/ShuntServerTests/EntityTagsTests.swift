import Testing

@testable import ShuntServer

/// `If-None-Match`, RFC 9110, 13.1.2.
@Suite struct EntityTagsTests {
    private static let current = "\"abc\""

    @Test(arguments: [
        "\"abc\"", "W/\"abc\"", "\"x\", \"abc\"", "\"x\",\"abc\"", "\"abc\" , \"x\"", "W/\"x\", W/\"abc\"", " \"abc\" ",
        "\t\"abc\"",
        ",,\"abc\",", ", , \"x\" ,, \"abc\"", "\"a,b\", \"abc\"", "\"\", \"abc\"", "\"W/\", \"abc\"", "*", " * ", "*\t",
    ])
    func `these name the current tag`(field: String) {
        #expect(EntityTags.matches(field, Self.current))
    }

    @Test(arguments: [
        "", " ", ",", "abc", "\"ab\"", "\"abcd\"", "\"ABC\"", "\"abc", "abc\"", "'abc'", "\"x, abc\"", "\"x\", \"y\"",
        "W/abc",
        "w/\"abc\"", "W/ \"abc\"", "\"x\" abc", "*, \"x\"", "\"x\", *", "W/*", "\"\"", "\"", "\"x\", \"", "/\"abc\"",
        "\"abc\\\"", "\"\u{e4}bc\"",
    ])
    func `these don't`(field: String) {
        #expect(!EntityTags.matches(field, Self.current))
    }

    @Test func `a long list is read to its end`() {
        let many = (0..<2000).map { "\"\($0)\"" }.joined(separator: ", ")
        #expect(!EntityTags.matches(many, Self.current))
        #expect(EntityTags.matches(many + ", \"abc\"", Self.current))
    }
}
