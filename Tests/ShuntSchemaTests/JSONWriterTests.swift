import Foundation
import ShuntSchema
import TestSupport
import Testing

@Suite struct JSONWriterTests {
    private static func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static let escapes: [(text: String, json: String)] = [
        ("", #""""#),
        ("plain", #""plain""#),
        ("\"", #""\"""#),
        ("\\", #""\\""#),
        ("/", #""/""#),
        ("\n\r\t", #""\n\r\t""#),
        ("\u{0}", #""\u0000""#),
        ("\u{8}\u{c}", #""\u0008\u000c""#),
        ("\u{1f}", #""\u001f""#),
        ("\u{7f}", #""\u007f""#),
        ("\u{80}\u{9f}", "\"\u{80}\u{9f}\""),
        ("支付 é 👨‍👩‍👧", "\"支付 é 👨‍👩‍👧\""),
        ("支\"付\\", #""支\"付\\""#),
        ("\u{2028}\u{2029}\u{feff}", "\"\u{2028}\u{2029}\u{feff}\""),
        ("e\u{301}", "\"e\u{301}\""),
        ("</script>", #""</script>""#),
    ]

    @Test(arguments: escapes)
    func `a text is escaped as little as JSON allows`(text: String, json: String) {
        // Bytes, because Swift takes é and e with an accent for equal.
        #expect(Array(Self.text { $0.string(text) }.utf8) == Array(json.utf8))
    }

    @Test(arguments: UInt8(0)...0x7F)
    func `every ASCII character survives as a value and as a name`(byte: UInt8) throws {
        let text = "a\(Character(Unicode.Scalar(byte)))b"
        let json = Self.text {
            $0.beginObject()
            $0.field(text, text)
            $0.endObject()
        }
        #expect(try JSONDecoder().decode([String: String].self, from: Data(json.utf8)) == [text: text])
        #expect(json.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `texts of random scalars survive`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<random.below(12) {
                let limit = random.pick([0x20, 0x80, 0x800, 0x11_0000])
                if let scalar = Unicode.Scalar(UInt32(random.below(limit))) { scalars.append(scalar) }
            }
            let text = String(scalars)
            let json = Self.text {
                $0.beginArray()
                $0.string(text)
                $0.endArray()
            }
            let read = try JSONDecoder().decode([String].self, from: Data(json.utf8))
            #expect(read.map { Array($0.utf8) } == [Array(text.utf8)])
        }
    }

    private static let numbers: [(value: Double, json: String)] = [
        (0, "0.0"), (-0.0, "-0.0"), (1, "1.0"), (-1.5, "-1.5"), (0.1, "0.1"), (1e21, "1e+21"),
        (.leastNonzeroMagnitude, "5e-324"),
        (.greatestFiniteMagnitude, "1.7976931348623157e+308"), (.infinity, "null"), (-.infinity, "null"),
        (.nan, "null"),
    ]

    @Test(arguments: numbers)
    func `a number is written so that JSON reads the same one`(value: Double, json: String) throws {
        #expect(Self.text { $0.number(value) } == json)
        guard value.isFinite else { return }
        #expect(try JSONDecoder().decode([Double].self, from: Data("[\(json)]".utf8)) == [value])
    }

    @Test func `whole numbers are written to the ends of their ranges`() {
        let text = Self.text {
            $0.beginArray()
            $0.integer(Int64.min)
            $0.integer(0)
            $0.integer(UInt64.max)
            $0.endArray()
        }
        #expect(text == "[-9223372036854775808,0,18446744073709551615]")
    }

    @Test func `commas stand between values, at every depth`() {
        let text = Self.text {
            $0.beginObject()
            $0.key("empty")
            $0.beginObject()
            $0.endObject()
            $0.key("list")
            $0.beginArray()
            $0.beginArray()
            $0.endArray()
            $0.null()
            $0.bool(true)
            $0.bool(false)
            $0.beginObject()
            $0.field("a", "b")
            $0.field("n", 1)
            $0.endObject()
            $0.string("x")
            $0.endArray()
            $0.field("last", Timestamp(milliseconds: 0))
            $0.field("really", true)
            $0.endObject()
        }
        #expect(
            text == #"{"empty":{},"list":[[],null,true,false,{"a":"b","n":1},"x"],"#
                + #""last":"1970-01-01T00:00:00.000Z","really":true}"#
        )
    }

    @Test func `fields without a value are left out`() {
        let text = Self.text {
            $0.beginObject()
            $0.field("a", String?.none)
            $0.field("b", Int64?.none)
            $0.field("c", Timestamp?.none)
            $0.field("d", Bool?.none)
            $0.field("e", 5)
            $0.endObject()
        }
        #expect(text == #"{"e":5}"#)
    }

    @Test func `lines and a reset begin anew`() {
        var writer = JSONWriter(capacity: 1)
        for _ in 0..<2 {
            writer.beginObject()
            writer.field("a", 1)
            writer.endObject()
            writer.endLine()
        }
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "{\"a\":1}\n{\"a\":1}\n")
        writer.integer(1)
        writer.reset()
        writer.integer(2)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "2")
    }
}
