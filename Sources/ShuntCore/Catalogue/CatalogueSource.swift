public import ShuntSchema

/// Everything that a catalogue is built from, as the files in `rules/catalogue/` give it: a value that can be compared,
/// kept in the journal and built again.
public struct CatalogueSource: Equatable, Sendable {
    /// The systems, in the order of their files.
    public var systems: [CatalogueSystem]
    /// What stages make of transport faults and cancels.
    public var stages: StageTable
    /// Texts that say what a code can't.
    public var signatures: [Signature]

    /// A catalogue's source; without anything every code is unknown, and an unknown code counts.
    public init(
        systems: [CatalogueSystem] = [],
        stages: StageTable = StageTable(rules: [.unknown: CatalogueSource.untoldStage]),
        signatures: [Signature] = []
    ) {
        self.systems = systems
        self.stages = stages
        self.signatures = signatures
    }

    /// What a stage that nobody told, or that no file speaks of, makes of faults and cancels.
    public static let untoldStage = StageRule(transport: .inDoubt, cancel: .user, money: .mayHaveMoved)

    /// The catalogue, ready for use.
    public func built() -> Catalogue {
        Catalogue(systems, stages: stages, signatures: signatures)
    }
}
