internal import ShuntCore
internal import ShuntNative

/// The addresses that the daemon knows.
enum Route: Equatable {
    case events
    case switches
    case oneSwitch(key: String)
    case switchCommand(key: String, action: SwitchCommand.Action)
    case health
    case readiness
    case metrics
    case openAPI

    init?(path: String) {
        switch path {
        case "/v1/switches": self = .switches
        case "/v1/events": self = .events
        case "/healthz": self = .health
        case "/readyz": self = .readiness
        case "/metrics": self = .metrics
        case "/openapi.json": self = .openAPI
        default:
            guard path.hasPrefix("/v1/switches/") else { return nil }
            let parts = path.dropFirst("/v1/switches/".count).split(separator: "/", omittingEmptySubsequences: false)
            guard let key = parts.first, !key.isEmpty else { return nil }
            switch parts.count {
            case 1: self = .oneSwitch(key: String(key))
            case 2:
                guard let action = SwitchCommand.Action(rawValue: String(parts[1])) else { return nil }
                self = .switchCommand(key: String(key), action: action)
            default: return nil
            }
        }
    }

    /// The one method that the address takes; a GET brings its HEAD along.
    var method: HTTPMethod {
        switch self {
        case .events, .switchCommand: .post
        case .switches, .oneSwitch, .health, .readiness, .metrics, .openAPI: .get
        }
    }

    /// The methods, as `Allow` lists them.
    var allow: String {
        method == .post ? "POST" : "GET, HEAD"
    }

    /// The media type of its answers.
    var mediaType: (type: String, subtype: String) {
        self == .metrics ? ("text", "plain") : ("application", "json")
    }

    /// What `Content-Type` a body may have.
    var bodyTypes: [String] {
        switch self {
        case .events: ["application/json", "application/x-ndjson"]
        case .switchCommand: ["application/json"]
        default: []
        }
    }
}

/// A parsed `Content-Type`.
struct MediaType: Equatable {
    /// Type and subtype in lower case.
    var name: String
    /// The `charset` parameter in lower case.
    var charset: String?

    init(_ field: String) {
        let parts = field.split(separator: ";")
        name = parts.first.map { $0.trimmed.lowercased() } ?? ""
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].trimmed.lowercased() == "charset" else { continue }
            charset = pair[1].trimmed.filter { $0 != "\"" }.lowercased()
        }
    }

    /// Whether an `Accept` field allows this media type, or a problem about it.
    static func accepts(_ field: String, _ media: (type: String, subtype: String)) -> Bool {
        field.split(separator: ",").contains { range in
            let parts = range.split(separator: ";")
            guard let name = parts.first?.trimmed.lowercased() else { return false }
            let isRefused = parts.dropFirst().contains { parameter in
                let text = parameter.filter { $0 != " " }
                return text.hasPrefix("q=0") && text.dropFirst(3).allSatisfy { $0 == "." || $0 == "0" }
            }
            guard !isRefused else { return false }
            return ["*/*", "\(media.type)/*", "\(media.type)/\(media.subtype)"].contains(name)
        }
    }
}

extension Substring {
    /// Without spaces and tabs at its ends.
    var trimmed: String {
        var rest = self
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return String(rest)
    }
}
