public import ShuntSchema

/// What can happen to a switch in one scope.
public enum SwitchInput: String, CaseIterable, Sendable {
    /// A rule's threshold was crossed.
    case ruleTrips
    /// A person degrades it.
    case operatorTrips
    /// A person restores it.
    case operatorRestores
}

/// What a switch does about it.
public enum SwitchStep: Equatable, Sendable {
    /// It goes to another phase.
    case move(to: SwitchPhase)
    /// It stays, for this reason.
    case stay(SwitchHold)
}

/// Why a switch stays as it is.
public enum SwitchHold: String, CaseIterable, Hashable, Sendable {
    /// It is degraded already.
    case alreadyDegraded
    /// It is normal already.
    case alreadyNormal
    /// So many scopes aren't normal that no further one is opened.
    case tooManyScopes
    /// No switch of that name is configured.
    case unknownSwitch
    /// The failures come from fewer distinct installs than the rule requires.
    case tooFewInstalls
    /// More than half of the failures came through tokens that are inside apps, and from too few installs.
    case untrusted
    /// Of the attempts that are reported too small a share fails.
    case shareTooLow
    /// On the route that payers would be moved to, too many attempts fail as well.
    case bothRoutesBad
}

extension SwitchPhase {
    /// The whole transition table.
    ///
    /// - `normal`: can go to `degraded`, by a rule or a person.
    /// - `degraded`: can go to `normal`, by a person. No falling count restores it: while payers are on the other
    ///   route no native payment can fail, and silence is not health.
    public func step(_ input: SwitchInput) -> SwitchStep {
        switch (self, input) {
        case (.normal, .ruleTrips): .move(to: .degraded)
        case (.normal, .operatorTrips): .move(to: .degraded)
        case (.normal, .operatorRestores): .stay(.alreadyNormal)
        case (.degraded, .ruleTrips): .stay(.alreadyDegraded)
        case (.degraded, .operatorTrips): .stay(.alreadyDegraded)
        case (.degraded, .operatorRestores): .move(to: .normal)
        }
    }
}

/// One slice of payers: an environment, and what narrows it.
public struct Scope: Hashable, Comparable, Sendable {
    /// The environment.
    public var environment: String
    /// Attributes that narrow it, in the order of their names, no name twice.
    public let attributes: [ScopeAttribute]

    /// A scope; the attributes are put in the order of their names, and of one name only the first counts.
    public init(environment: String, attributes: [ScopeAttribute] = []) {
        self.environment = environment
        var ordered: [ScopeAttribute] = []
        for attribute in attributes where !ordered.contains(where: { $0.name == attribute.name }) {
            ordered.append(attribute)
        }
        if ordered.count > 1 { ordered.sort { $0.name < $1.name } }
        self.attributes = ordered
    }

    /// All payers of the default environment.
    static let defaultEnvironment = Scope(environment: PaymentEvent.defaultEnvironment)

    /// E.g. `production, region=CN`.
    public var text: String {
        ([environment] + attributes.map { "\($0.name)=\($0.value)" }).joined(separator: ", ")
    }

    /// Orders by environment, then by attributes.
    public static func < (left: Scope, right: Scope) -> Bool {
        if left.environment != right.environment { return left.environment < right.environment }
        return left.attributes.lexicographicallyPrecedes(right.attributes) {
            ($0.name, $0.value) < ($1.name, $1.value)
        }
    }
}

/// One attribute of a scope, e.g. `region` = `CN`.
public struct ScopeAttribute: Hashable, Sendable {
    /// The attribute's name, as rule files write it.
    public var name: String
    /// Its value.
    public var value: String

    /// An attribute.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// The state of one switch in one scope.
public struct SwitchMachine: Equatable, Sendable {
    /// The switch.
    public var key: String
    /// The slice that it decides for.
    public var scope: Scope
    /// Where it stands.
    public var phase: SwitchPhase
    /// Since when.
    public var since: Timestamp
    /// The version of its last transition.
    public var version: UInt64
    /// Why it isn't normal.
    public var reason: SwitchReason?
}

/// A change of a switch's phase.
public struct SwitchTransition: Equatable, Sendable {
    /// The switch.
    public var key: String
    /// The slice.
    public var scope: Scope
    /// The phase it left.
    public var from: SwitchPhase
    /// The phase it reached.
    public var to: SwitchPhase
    /// The variant served from now on.
    public var variant: String
    /// The version that the transition made.
    public var version: UInt64
    /// When.
    public var at: Timestamp
    /// Why; in words too.
    public var reason: SwitchReason
}
