internal import ShuntCore
internal import ShuntNative

/// The form of the section `limits`: what one rule and one report may ask for.
enum LimitsForm {
    static let keys = ["errorKeys", "wire", "inflated", "events", "eventSize"]

    /// What a body may have at most, in bytes: half of what may wait for the writer, so that two can.
    private static let largestBody: Int64 = Int64(Engine.maximumQueuedBytes / 2)

    static func read(_ limits: FileFields, into configuration: inout Configuration, _ reader: inout FileReader) {
        let groups = reader.optional("errorKeys", of: limits, .count(in: 1...Int64(RuleSet.maximumGroupsLimit)))
        configuration.maximumGroups = groups ?? configuration.maximumGroups
        var intake = configuration.intakeLimits
        if let wire = reader.optional("wire", of: limits, .size(in: 1024...largestBody)) {
            intake.wireBytes = Int(wire)
        }
        if let inflated = reader.optional("inflated", of: limits, .size(in: 1024...largestBody)) {
            intake.inflatedBytes = Int(inflated)
        }
        let events = reader.optional("events", of: limits, .count(in: 1...Int64(Engine.maximumGroupEvents)))
        intake.events = events ?? intake.events
        if let size = reader.optional("eventSize", of: limits, .size(in: 256...(1 << 20))) {
            intake.eventBytes = Int(size)
        }
        if intake.inflatedBytes < intake.wireBytes {
            // Named where somebody said something: the other figure may be the default.
            let key = limits.keyPosition("inflated") != nil ? "inflated" : "wire"
            let found = "\(intake.wireBytes) bytes on the wire and \(intake.inflatedBytes) inflated"
            let expected = "as many inflated at least: not every body is compressed"
            reader.note(.contradiction, at: limits.valuePosition(key), found: found, expected: expected)
        }
        configuration.intakeLimits = intake
    }
}
