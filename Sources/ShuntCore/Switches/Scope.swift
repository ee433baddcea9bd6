internal import ShuntSchema

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
