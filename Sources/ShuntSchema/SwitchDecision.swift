/// What a switch says for one payer.
public struct SwitchDecision: Equatable, Sendable {
    /// The switch.
    public var key: String
    /// The route to take.
    public var variant: String
    /// The state that decided.
    public var state: SwitchPhase
    /// Which slice decided: `environment`, or the attributes of a narrower one.
    public var decidedBy: String
}

extension SwitchStatus {
    /// The decision for a payer with these attributes: the most specific slice that isn't normal and fits, else the
    /// environment as a whole. Of two equally specific slices the first in the document decides.
    public func decision(for attributes: [String: String]) -> SwitchDecision {
        var chosen: ScopeStatus?
        for scope in scopes where scope.match.allSatisfy({ attributes[$0.key] == $0.value }) {
            if scope.match.count > chosen?.match.count ?? 0 { chosen = scope }
        }
        guard let chosen else {
            return SwitchDecision(key: key, variant: variant, state: state, decidedBy: "environment")
        }
        let match = chosen.match.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return SwitchDecision(
            key: key,
            variant: chosen.variant,
            state: chosen.state,
            decidedBy: match.joined(separator: ", ")
        )
    }
}
