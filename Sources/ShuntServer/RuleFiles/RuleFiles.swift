public import ShuntCore

/// A rules folder, read and checked: `alerts/*.yaml`, `switches.yaml`, `catalogue/*.yaml` and
/// `triage/*.yaml`.
public struct RuleFiles: Sendable {
    /// Where a part of the configuration comes from.
    public enum Origin: String, CaseIterable, Sendable {
        /// From files of the folder.
        case files
        /// The folder doesn't have them; what Shunt has built in is used.
        case builtIn
        /// The folder doesn't have them, and there is nothing built in.
        case none
    }

    /// The folder, as it was given.
    public let path: String
    /// Whether there is such a folder at all.
    public let hasFolder: Bool
    /// The rules, the switches and what codes mean.
    public let ruleSet: RuleSet
    /// The known causes, in the order of their files; empty without the folder `triage`. No part of the rule set: they
    /// advise and decide nothing.
    public let diagnoses: [Diagnosis]
    /// How many codes the catalogue has a row for.
    public let catalogueRowCount: Int
    /// Where the rules come from.
    public let rulesOrigin: Origin
    /// Where the switches come from.
    public let switchesOrigin: Origin
    /// Where the catalogue comes from.
    public let catalogueOrigin: Origin

    /// Reads a folder; what it doesn't have is built in, or none.
    ///
    /// - Parameters:
    ///   - path: The folder. Problems name files by it.
    ///   - retentionMs: For how long events are kept, in milliseconds; no window may be longer.
    ///   - maximumGroups: How many groups a rule keeps at most, from 1 to `RuleSet.maximumGroupsLimit`: the
    ///     configuration's, for no file says it.
    /// - Throws: Everything that is wrong in it.
    public init(
        readingFolder path: String,
        retentionMs: Int64 = .max,
        maximumGroups: Int = RuleSet.builtIn.maximumGroups
    ) throws(RuleFilesError) {
        var reading = RuleFolderReading(path: path)
        let switches = reading.switches()
        let catalogue = reading.catalogue()
        let hasGoodSwitches = reading.problems.allSatisfy { $0.file != reading.switchesFile }
        let rules = reading.rules(
            AlertsForm(
                switchKeys: hasGoodSwitches ? (switches ?? RuleSet.builtIn.switches).map(\.key) : nil,
                retentionMs: retentionMs
            )
        )
        let triage = reading.diagnoses()
        guard reading.problems.isEmpty else { throw RuleFilesError(reading.orderedProblems) }
        self.path = path
        hasFolder = reading.hasFolder
        ruleSet = RuleSet(
            rules: rules ?? RuleSet.builtIn.rules,
            switches: switches ?? RuleSet.builtIn.switches,
            catalogue: catalogue ?? RuleSet.builtIn.catalogue,
            maximumGroups: maximumGroups
        )
        diagnoses = triage
        catalogueRowCount = catalogue?.systems.reduce(0) { $0 + $1.rows.count } ?? 0
        rulesOrigin = rules == nil ? .builtIn : .files
        switchesOrigin = switches == nil ? .builtIn : .files
        catalogueOrigin = catalogue == nil ? .none : .files
    }
}
