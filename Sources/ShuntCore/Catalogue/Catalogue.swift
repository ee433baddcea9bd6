internal import ShuntSchema

/// The table from (domain, code, stage) to what a failure means, with the stages and texts that refine it.
///
/// A value built once from the files in `rules/catalogue/`; looking a pair up costs one hash of it. A merchant's row
/// overrides a shipped one for the same pair, and remembers which.
public struct Catalogue: Sendable {
    /// What is wrong with the systems given to a catalogue.
    public enum Problem: Error, Hashable, Sendable {
        /// Two rows of a system have the same code.
        case duplicateCode(system: String, code: String)
        /// A system's subcodes belong to a system that doesn't exist.
        case unknownSubcodeSystem(system: String, subcodes: String)
        /// The stage table names a row that doesn't exist.
        case unknownStageRow(system: String, code: String)
        /// Two signatures have the same id.
        case duplicateSignature(id: String)
        /// A signature has no text, or more than eight.
        case signatureTexts(id: String)
    }

    private struct CodeRange: Sendable {
        var domain: String
        var range: ClosedRange<Int64>
        var row: Int32
    }

    /// What was wrong; a catalogue is usable all the same, and a file loader refuses it.
    public private(set) var problems: [Problem] = []
    /// The rows as people see them.
    private(set) var matches: [CatalogueMatch] = []
    /// The same rows as the classifier sees them: bytes only.
    private(set) var facts: [RowFacts] = []
    let signatures: SignatureIndex
    let stageFacts: StageFacts
    private var index: [ErrorKey: Int32] = [:]
    /// A handful, so that they are read in turn.
    private var ranges: [CodeRange] = []
    /// For each domain, the domain that its subcodes are looked up in.
    private var subcodeDomains: [String: String] = [:]

    /// A catalogue of these systems; a merchant's come before shipped ones, and else their order decides.
    public init(_ systems: [CatalogueSystem], stages: StageTable, signatures: [Signature] = []) {
        self.signatures = SignatureIndex(signatures)
        stageFacts = StageFacts(stages)
        var seen: Set<String> = []
        for signature in signatures {
            if !seen.insert(signature.id).inserted { problems.append(.duplicateSignature(id: signature.id)) }
            let isReadable = (1...SignatureIndex.mostParts).contains(signature.all.count) && !signature.all.contains("")
            if !isReadable { problems.append(.signatureTexts(id: signature.id)) }
        }
        for owner in [CatalogueSystem.Owner.merchant, .shipped] {
            for system in systems where system.owner == owner { add(system, among: systems) }
        }
        facts = matches.map { RowFacts($0.entry, owner: $0.owner) }
        markStageRows(stages)
    }

    /// The number of rows, those that are overridden included.
    public var count: Int { matches.count }

    /// The row of a pair, whatever the stage; nil where no system knows it.
    public func match(domain: String, code: String) -> CatalogueMatch? {
        row(domain, code).map { matches[Int($0)] }
    }

    // MARK: Lookup

    /// The place of a pair's row.
    func row(_ domain: String, _ code: String) -> Int32? {
        if let found = index[ErrorKey(domain: domain, code: code)] { return found }
        for candidate in ranges where candidate.domain == domain {
            if let number = Int64(code), candidate.range.contains(number) { return candidate.row }
        }
        return nil
    }

    /// The place of the row of a finer code that came with a pair of this domain.
    func row(subcode: String, of domain: String) -> Int32? {
        subcodeDomains[domain].flatMap { row($0, subcode) }
    }

    // MARK: Building

    private mutating func add(_ system: CatalogueSystem, among systems: [CatalogueSystem]) {
        if let subcodes = system.subcodes {
            if let target = systems.first(where: { $0.name == subcodes })?.domains.first {
                for domain in system.domains where subcodeDomains[domain] == nil { subcodeDomains[domain] = target }
            } else {
                problems.append(.unknownSubcodeSystem(system: system.name, subcodes: subcodes))
            }
        }
        var seen: Set<String> = []
        for row in system.rows {
            guard seen.insert(row.code).inserted else {
                problems.append(.duplicateCode(system: system.name, code: row.code))
                continue
            }
            let key = ErrorKey(domain: system.domains.first ?? system.name, code: row.code)
            let match = CatalogueMatch(
                system: system.name,
                key: key,
                entry: row.entry,
                owner: system.owner,
                overrides: nil
            )
            matches.append(match)
            for domain in system.domains { register(domain, row.code) }
            if let split = system.splitAt, let place = row.code.firstIndex(of: split) {
                let domain = String(row.code[..<place])
                register(domain, String(row.code[row.code.index(after: place)...]))
            }
        }
    }

    /// Makes the newest row known under a name, unless an earlier one has it.
    private mutating func register(_ domain: String, _ code: String) {
        let newest = matches.count - 1
        if let range = Self.range(code) {
            ranges.append(CodeRange(domain: domain, range: range, row: Int32(newest)))
            return
        }
        let key = ErrorKey(domain: domain, code: code)
        guard let earlier = index[key].map({ Int($0) }) else {
            index[key] = Int32(newest)
            return
        }
        let overrides = matches[earlier].owner == .merchant && matches[newest].owner == .shipped
        if overrides, matches[earlier].overrides == nil { matches[earlier].overrides = matches[newest].entry }
    }

    /// `1000-1005` as a range; `-1001` is a number.
    private static func range(_ code: String) -> ClosedRange<Int64>? {
        let parts = code.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let low = Int64(parts[0]), let high = Int64(parts[1]), low >= 0, low < high else {
            return nil
        }
        return low...high
    }

    private mutating func markStageRows(_ stages: StageTable) {
        var places: [ErrorKey: [Int]] = [:]
        for (place, match) in matches.enumerated() {
            places[ErrorKey(domain: match.system, code: match.key.code), default: []].append(place)
        }
        func rows(_ system: String, _ code: String) -> [Int] {
            let found = places[ErrorKey(domain: system, code: code)] ?? []
            if found.isEmpty { problems.append(.unknownStageRow(system: system, code: code)) }
            return found
        }
        for dependence in stages.hangsOnStage {
            for place in dependence.codes.flatMap({ rows(dependence.system, $0) }) {
                facts[place].dependence = dependence.kind
                facts[place].harmlessAt = dependence.harmlessAt.map { StageSet($0) } ?? .all
            }
        }
        for proof in stages.nothingSent {
            for place in proof.codes.flatMap({ rows(proof.system, $0) }) { facts[place].provesNothingSent = true }
        }
        // A row whose money hangs on the stage reports a transport fault, listed or not; merchants' rows aren't listed.
        for place in facts.indices where facts[place].money == .stage && facts[place].dependence == nil {
            if !facts[place].isVague { facts[place].dependence = .transport }
        }
    }
}
