public import ShuntCore
public import ShuntSchema

extension Localisation {
    /// Writes the whole answer.
    ///
    /// - Parameters:
    ///   - writer: What it is written to.
    ///   - text: The language of the causes' sentences.
    public func write(to writer: inout JSONWriter, text: CauseText = .english) {
        writer.beginObject()
        writer.field("failures", count)
        writer.field("baselineFailures", baselineCount)
        writer.field("baseline", baseline.rawValue)
        writer.field("verdict", verdict.rawValue)
        writer.key("causes")
        writer.beginArray()
        for (rank, cause) in causes.enumerated() { cause.write(to: &writer, text: text, rank: rank) }
        writer.endArray()
        writer.endObject()
    }
}

extension Cause {
    /// Writes a cause: attributes, `count` of `of` failures, shares from 0 to 1, and a sentence.
    ///
    /// - Parameters:
    ///   - writer: What it is written to.
    ///   - text: The language of the sentence.
    ///   - rank: The cause's place, from 0.
    public func write(to writer: inout JSONWriter, text: CauseText = .english, rank: Int = 0) {
        writer.beginObject()
        writer.key("attributes")
        writer.beginArray()
        for attribute in attributes { Self.write(attribute, to: &writer) }
        writer.endArray()
        writer.field("count", count)
        writer.field("of", total)
        Self.write("share", share, to: &writer)
        writer.field("baselineCount", baselineCount)
        Self.write("baselineShare", baselineShare, to: &writer)
        Self.write("lift", lift, to: &writer)
        Self.write("score", score, to: &writer)
        if isAtLeast { writer.field("atLeast", true) }
        if let refinement {
            writer.key("refinement")
            Self.write(refinement, to: &writer)
        }
        writer.field("text", text.sentence(self, rank: rank))
        writer.endObject()
    }

    private static func write(_ attribute: Attribute, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("name", attribute.name)
        writer.field("value", attribute.value)
        writer.endObject()
    }

    /// To four digits after the point: more say nothing, and only lengthen what people read.
    private static func write(_ name: String, _ number: Double?, to writer: inout JSONWriter) {
        guard let number else { return }
        writer.key(name)
        writer.number((number * 10_000).rounded() / 10_000)
    }
}
