/// Why a switch stays as it is.
public enum SwitchHold: String, CaseIterable, Hashable, Sendable {
    /// It is degraded already.
    case alreadyDegraded
    /// It is normal already.
    case alreadyNormal
    /// It tripped too often, so only a person's restore moves it.
    case locked
    /// It is disarmed.
    case disarmed
    /// It became normal so shortly ago that no rule may trip it yet.
    case minimumDwell
    /// More payers than its limit would be on the degraded route then.
    case blastRadius
    /// A timer or a verdict that belongs to another phase.
    case outOfTurn
    /// So many scopes aren't normal that no further one is opened.
    case tooManyScopes
    /// No switch of that name is configured.
    case unknownSwitch
    /// The switch has no such variant.
    case unknownVariant
    /// There is no override to clear.
    case notOverridden
    /// It is in that mode already.
    case alreadyInMode
    /// The failures come from fewer distinct installs than the rule requires.
    case tooFewInstalls
    /// More than half of the failures came through tokens that are inside apps, and from too few installs.
    case untrusted
    /// Of the attempts that are reported too small a share fails.
    case shareTooLow
    /// On the route that payers would be moved to, too many attempts fail as well.
    case bothRoutesBad

    /// The reason in words, of the switch with that key.
    public func sentence(switch key: String) -> String {
        switch self {
        case .alreadyDegraded: "the switch \(key) is degraded already"
        case .alreadyNormal: "the switch \(key) is normal already"
        case .locked: "the switch \(key) is locked, because it tripped too often; a person's restore unlocks it"
        case .disarmed: "the switch \(key) is disarmed"
        case .minimumDwell: "the switch \(key) became normal only just now"
        case .blastRadius: "more payers than the switch \(key) allows would be on its degraded route"
        case .outOfTurn: "the switch \(key) is in another phase"
        case .tooManyScopes: "no further scope of a switch is opened"
        case .unknownSwitch: "no switch is called \(key)"
        case .unknownVariant: "the switch \(key) has no such variant"
        case .notOverridden: "the switch \(key) has no override in that scope"
        case .alreadyInMode: "the switch \(key) is in that mode already"
        case .tooFewInstalls: "too few distinct installs"
        case .untrusted: "more than half of the failures came through tokens that are inside apps"
        case .shareTooLow: "too small a share of the attempts fails"
        case .bothRoutesBad: "too many attempts on the other route fail as well"
        }
    }
}
