internal import ShuntCore
internal import ShuntNative

/// The addresses that the daemon knows.
enum Route: Equatable {
    case events
    case eventList
    case oneEvent(id: String)
    case errors
    case oneError(code: String)
    case switches
    case switchStream
    case oneSwitch(key: String)
    case switchCommand(key: String, verb: SwitchCommand.Verb)
    case flags
    case oneFlag(key: String)
    case switchHistory(key: String)
    case alerts
    case oneAlert(id: String)
    case alertAcknowledgement(id: String)
    case silences
    case newSilence
    case oneSilence(id: String)
    case inDoubt
    case oneAttempt(id: String)
    case settlement(id: String)
    case audit
    case rules
    case rulesReload
    case explain
    case health
    case readiness
    case metrics
    case openAPI
    case outlook
    case callersAccess
    /// The web dashboard's page.
    case dashboard
    /// One of the files that the page consists of.
    case dashboardFile(path: String)

    /// - Parameter method: tells apart what one address does for different methods.
    init?(path: String, method: HTTPMethod = .get) {
        switch path {
        case "/v1/alerts": self = .alerts
        case "/v1/silences": self = method == .post ? .newSilence : .silences
        case "/v1/switches": self = .switches
        case "/v1/switches/stream": self = .switchStream
        case "/v1/events": self = method == .get ? .eventList : .events
        case "/v1/errors": self = .errors
        case "/v1/inDoubt": self = .inDoubt
        case "/v1/audit": self = .audit
        case "/v1/rules": self = .rules
        case "/v1/rules/reload": self = .rulesReload
        case "/v1/explain": self = .explain
        case "/v1/outlook": self = .outlook
        case "/v1/access": self = .callersAccess
        case "/": self = .dashboard
        case "/healthz": self = .health
        case "/readyz": self = .readiness
        case "/metrics": self = .metrics
        case "/openapi.json": self = .openAPI
        case "/ofrep/v1/evaluate/flags", "/ofrep/v1/evaluate/flags/": self = .flags
        case let path where path.hasPrefix("/ofrep/v1/evaluate/flags/"):
            // All of the rest, slashes too: its clients escape a key and expect to be told that there is no such flag.
            self = .oneFlag(key: String(path.dropFirst("/ofrep/v1/evaluate/flags/".count)))
        case let path where path.hasPrefix("/web/"):
            let file = path.dropFirst("/web/".count)
            guard !file.isEmpty else { return nil }
            self = .dashboardFile(path: String(file))
        case let path where path.hasPrefix("/v1/alerts/"):
            let parts = path.dropFirst("/v1/alerts/".count).split(separator: "/", omittingEmptySubsequences: false)
            guard let id = parts.first, !id.isEmpty, parts.count == 1 || parts.count == 2 && parts[1] == "ack" else {
                return nil
            }
            self = parts.count == 1 ? .oneAlert(id: String(id)) : .alertAcknowledgement(id: String(id))
        case let path where path.hasPrefix("/v1/errors/"):
            // A code may hold anything.
            let code = path.dropFirst("/v1/errors/".count)
            guard !code.isEmpty else { return nil }
            self = .oneError(code: String(code))
        case let path where path.hasPrefix("/v1/events/"):
            let id = path.dropFirst("/v1/events/".count)
            guard !id.isEmpty else { return nil }
            self = .oneEvent(id: String(id))
        case let path where path.hasPrefix("/v1/attempts/"):
            let parts = path.dropFirst("/v1/attempts/".count).split(separator: "/", omittingEmptySubsequences: false)
            guard let id = parts.first, !id.isEmpty, parts.count == 1 || parts.count == 2 && parts[1] == "settle" else {
                return nil
            }
            self = parts.count == 1 ? .oneAttempt(id: String(id)) : .settlement(id: String(id))
        case let path where path.hasPrefix("/v1/silences/"):
            let id = path.dropFirst("/v1/silences/".count)
            guard !id.isEmpty, !id.contains("/") else { return nil }
            self = .oneSilence(id: String(id))
        default:
            guard path.hasPrefix("/v1/switches/") else { return nil }
            let parts = path.dropFirst("/v1/switches/".count).split(separator: "/", omittingEmptySubsequences: false)
            guard let key = parts.first, !key.isEmpty else { return nil }
            switch parts.count {
            case 1: self = .oneSwitch(key: String(key))
            case 2 where parts[1] == "history": self = .switchHistory(key: String(key))
            case 2:
                // An override is cleared by deleting it.
                guard let verb = SwitchCommand.Verb(rawValue: String(parts[1])), verb != .clear else { return nil }
                self = .switchCommand(key: String(key), verb: verb)
            default: return nil
            }
        }
    }

    /// The method that the address takes; a GET brings its HEAD along.
    var method: HTTPMethod {
        switch self {
        case .events, .switchCommand, .flags, .oneFlag, .rulesReload, .alertAcknowledgement, .newSilence,
            .settlement:
            .post
        case .oneSilence: .delete
        case .switches, .switchStream, .oneSwitch, .switchHistory, .alerts, .oneAlert, .silences, .audit, .rules,
            .explain, .health, .readiness, .metrics, .openAPI, .errors, .oneError, .eventList, .oneEvent, .outlook,
            .callersAccess, .dashboard, .dashboardFile, .inDoubt, .oneAttempt:
            .get
        }
    }

    /// Who may use it.
    var access: RouteAccess {
        switch self {
        case .health, .readiness, .openAPI, .callersAccess, .dashboard, .dashboardFile: .open
        case .switches, .switchStream, .oneSwitch, .flags, .oneFlag: .poll
        case .events: .report
        case .switchHistory, .alerts, .oneAlert, .silences, .audit, .rules, .explain, .metrics, .errors, .oneError,
            .eventList, .oneEvent, .outlook, .inDoubt, .oneAttempt:
            .read
        case .switchCommand, .alertAcknowledgement, .newSilence, .oneSilence, .settlement, .rulesReload: .operate
        }
    }

    /// Whether the address can be deleted as well.
    var isDeletable: Bool {
        if case .switchCommand(_, .override) = self { true } else { false }
    }

    /// The methods, as `Allow` lists them.
    var allow: String {
        if isDeletable { return "POST, DELETE" }
        switch self {
        case .silences, .newSilence, .events, .eventList: return "GET, HEAD, POST"
        case .oneSilence: return "DELETE"
        default: return method == .post ? "POST" : "GET, HEAD"
        }
    }

    /// Whether it's an address of OFREP, whose errors have a form of their own.
    var isOFREP: Bool {
        switch self {
        case .flags, .oneFlag: true
        default: false
        }
    }

    /// The media type of its answers.
    var mediaType: (type: String, subtype: String) {
        switch self {
        case .metrics: ("text", "plain")
        case .dashboard: ("text", "html")
        case .dashboardFile(let path): DashboardFiles.mediaType(of: path)
        case .switchStream: ("text", "event-stream")
        default: ("application", "json")
        }
    }

    /// What `Content-Type` a body may have; empty where there is nothing to say in a body.
    var bodyTypes: [String] {
        switch self {
        case .events: ["application/json", "application/x-ndjson"]
        case .switchCommand, .flags, .oneFlag, .alertAcknowledgement, .newSilence, .settlement: ["application/json"]
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

    /// Whether an `Accept` field allows this media type. The most specific range that fits decides (RFC 9110, 12.5.1);
    /// a field without ranges asks for nothing.
    static func accepts(_ field: String, _ media: (type: String, subtype: String)) -> Bool {
        let names = ["*/*", "\(media.type)/*", "\(media.type)/\(media.subtype)"]
        let ranges = field.split(separator: ",").filter { !$0.trimmed.isEmpty }
        var decided = -1
        var isAccepted = ranges.isEmpty
        for range in ranges {
            let parts = range.split(separator: ";")
            guard let name = parts.first?.trimmed.lowercased(), let rank = names.firstIndex(of: name), rank >= decided
            else { continue }
            let isRefused = parts.dropFirst().contains { parameter in
                let text = parameter.lowercased().filter { $0 != " " && $0 != "\t" }
                return text.hasPrefix("q=0") && text.dropFirst(3).allSatisfy { $0 == "." || $0 == "0" }
            }
            // Of two ranges alike the kinder one counts.
            isAccepted = !isRefused || rank == decided && isAccepted
            decided = rank
        }
        return isAccepted
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
