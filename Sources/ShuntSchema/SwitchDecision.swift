/// What a switch says for one payer.
public struct SwitchDecision: Equatable, Sendable {
    /// The switch.
    public var key: String
    /// The route to take.
    public var variant: String
    /// The state that decided.
    public var state: SwitchPhase
    /// What decided: `environment`, or the attributes of a narrower slice; of an override, after `override: `.
    public var decidedBy: String
    /// On what it rests.
    public var basis: SwitchDecisionBasis
}

/// On what a decision rests.
public enum SwitchDecisionBasis: Hashable, Sendable {
    /// The environment: it is the same for everybody whom no slice covers.
    case environment
    /// A narrower slice, the same for all of it.
    case slice
    /// The install: another one with the same attributes may be told otherwise.
    case share
    /// A person's override.
    case override
}

extension SwitchStatus {
    /// The decision for a payer with these attributes, `installId` among them where it is known.
    ///
    /// Of the slices that fit, the most specific override decides; else the most specific slice that isn't normal for
    /// this payer; else the environment. A slice that lets a share of installs try the normal way is normal for them,
    /// and never for a payer without an install. Of two equally specific slices the first in the document decides.
    public func decision(for attributes: [String: String]) -> SwitchDecision {
        let fitting = scopes.filter { scope in scope.match.allSatisfy { attributes[$0.key] == $0.value } }
        if let chosen = fitting.filter({ $0.override != nil }).mostSpecific() {
            return decision(by: chosen, prefix: "override: ", basis: .override)
        }
        if override != nil {
            return SwitchDecision(
                key: key,
                variant: variant,
                state: state,
                decidedBy: "override: environment",
                basis: .override
            )
        }
        let installId = attributes["installId"]
        let deciding = fitting.filter { scope in
            Self.takes(installId: installId, percent: scope.percent, salt: scope.salt)
        }
        let chosen = deciding.mostSpecific()
        // Shares of wider slices than the one that decides weren't looked at.
        let asked = fitting.filter { $0.match.count >= chosen?.match.count ?? 0 }
        let isShared = asked.contains { $0.salt != nil } || chosen == nil && salt != nil
        if let chosen { return decision(by: chosen, prefix: "", basis: isShared ? .share : .slice) }
        let isWithin = Self.takes(installId: installId, percent: percent, salt: salt)
        return SwitchDecision(
            key: key,
            variant: isWithin ? variant : normalVariant ?? variant,
            state: state,
            decidedBy: "environment",
            basis: isShared ? .share : .environment
        )
    }

    private func decision(by scope: ScopeStatus, prefix: String, basis: SwitchDecisionBasis) -> SwitchDecision {
        let match = scope.match.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return SwitchDecision(
            key: key,
            variant: scope.variant,
            state: scope.state,
            decidedBy: prefix + match.joined(separator: ", "),
            basis: basis
        )
    }

    /// Whether a payer takes the variant of a share.
    private static func takes(installId: String?, percent: Int64?, salt: String?) -> Bool {
        guard let percent, percent < 100, let salt, let installId else { return true }
        return Cohort.contains(installId: installId, salt: salt, percent: percent)
    }
}

extension [ScopeStatus] {
    /// The one with the most attributes; of several the first.
    fileprivate func mostSpecific() -> ScopeStatus? {
        var chosen: ScopeStatus?
        for scope in self where scope.match.count > chosen?.match.count ?? 0 { chosen = scope }
        return chosen
    }
}
