internal import ShuntSchema

/// A named route decision.
public struct SwitchDefinition: Equatable, Sendable {
    /// Its name.
    public var key: String
    /// The variant served while all is well.
    public var normalVariant: String
    /// The variant served after a trip.
    public var degradedVariant: String

    /// A switch.
    public init(key: String, normalVariant: String, degradedVariant: String) {
        self.key = key
        self.normalVariant = normalVariant
        self.degradedVariant = degradedVariant
    }

    func variant(in phase: SwitchPhase) -> String {
        switch phase {
        case .normal: normalVariant
        case .degraded: degradedVariant
        }
    }
}
