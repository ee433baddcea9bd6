internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// What an operator's request asks for: an action, a reason, and the scope that is meant (production, where none is
/// given).
struct SwitchCommandBody {
    /// How long an override holds unless the request says so, in seconds.
    static let standingOverrideSec: Int64 = 3600

    let action: SwitchCommand.Action
    let reason: String
    let scope: Scope

    /// - Parameter verb: what the address and the method say.
    init(_ request: HTTPRequest, verb: SwitchCommand.Verb) throws(Problem) {
        if verb == .clear, request.body.isEmpty {
            // A DELETE has no body by rights; then the query says it.
            try self.init(queryOf: request.head)
            return
        }
        var document = JSONDocument()
        do throws(JSONError) {
            try document.parse(request.body)
        } catch {
            throw Problem.of(.unreadable(error))
        }
        guard document.kind(of: document.root) == .object else {
            throw Problem(422, "wrongShape", "expected an object")
        }
        let reason = try Self.reason(Self.text("reason", document))
        let action = try Self.action(verb, document)
        self.init(action: action, reason: reason, scope: try Self.scope(document))
    }

    private init(queryOf head: HTTPRequestHead) throws(Problem) {
        let reason = try Self.reason(head.query("reason"))
        var attributes: [(String, String?)] = []
        for pair in head.queryPairs where pair.name != "reason" { attributes.append((pair.name, pair.value)) }
        self.init(action: .clear, reason: reason, scope: try Self.scope(attributes))
    }

    private init(action: SwitchCommand.Action, reason: String, scope: Scope) {
        self.action = action
        self.reason = reason
        self.scope = scope
    }

    private static func reason(_ text: String?) throws(Problem) -> String {
        guard let text, !text.isEmpty else {
            throw Problem(422, "reasonMissing", "expected /reason: why this is done, for those who come after")
        }
        return text.cut(toUTF8: SwitchesEndpoint.maximumReasonBytes)
    }

    private static func text(_ key: String, _ document: borrowing JSONDocument) -> String? {
        document.member(key, of: document.root).flatMap { document.string(of: $0) }
    }

    // MARK: Actions

    private static func action(
        _ verb: SwitchCommand.Verb,
        _ document: borrowing JSONDocument
    ) throws(Problem) -> SwitchCommand.Action {
        switch verb {
        case .trip: return .trip
        case .restore: return .restore
        case .clear: return .clear
        case .override:
            guard let variant = text("variant", document), !variant.isEmpty else {
                throw Problem(422, "variantMissing", "expected /variant: the route that payers are to take")
            }
            return .override(variant: variant, forMs: try seconds(document) * 1000)
        case .mode:
            let words = SwitchMode.allCases.map(\.rawValue).joined(separator: ", ")
            guard let mode = text("mode", document).flatMap(SwitchMode.init(rawValue:)) else {
                throw Problem(422, "unknownMode", "expected /mode: one of \(words)")
            }
            return .mode(mode)
        }
    }

    /// An override always ends.
    private static func seconds(_ document: borrowing JSONDocument) throws(Problem) -> Int64 {
        let most = SwitchOverride.maximumMs / 1000
        guard let given = document.member("expiresInSec", of: document.root), !document.isNull(given) else {
            return standingOverrideSec
        }
        guard let seconds = document.int64(of: given), seconds >= 1, seconds <= most else {
            throw Problem(422, "outOfRange", "expected /expiresInSec: 1 to \(most) seconds")
        }
        return seconds
    }

    // MARK: Scopes

    private static func scope(_ document: borrowing JSONDocument) throws(Problem) -> Scope {
        guard let given = document.member("scope", of: document.root), !document.isNull(given) else {
            return Scope(environment: PaymentEvent.defaultEnvironment)
        }
        guard document.kind(of: given) == .object else {
            throw Problem(422, "wrongShape", "expected /scope: an object")
        }
        var attributes: [(String, String?)] = []
        var members = document.children(of: given)
        while let member = members.next(in: document) {
            attributes.append((document.key(of: member), document.string(of: member)))
        }
        return try scope(attributes)
    }

    private static func scope(_ given: [(name: String, value: String?)]) throws(Problem) -> Scope {
        var environment = PaymentEvent.defaultEnvironment
        var attributes: [ScopeAttribute] = []
        for (name, value) in given {
            guard Dimension(rawValue: name) != nil else {
                throw Problem(422, "unknownAttribute", "/scope/\(name.cut(toUTF8: 64)) isn't an attribute of events")
            }
            // An environment that no event and no poll can name would be tripped for nobody.
            let limit = name == Dimension.environment.rawValue ? EventLimit.name : EventLimit.identifier
            guard let value, !value.isEmpty, value.utf8.count <= limit else {
                throw Problem(422, "wrongShape", "expected /scope/\(name) to be a text of 1 to \(limit) bytes")
            }
            if name == Dimension.environment.rawValue {
                environment = value
            } else {
                attributes.append(ScopeAttribute(name: name, value: value))
            }
        }
        return Scope(environment: environment, attributes: attributes)
    }
}
