internal import ShuntCore

/// Where messages and pages point to, by the configuration's section `links`.
struct LinkTemplates: Equatable, Sendable {
    /// What a link can lead to.
    enum Target: String, CaseIterable, Sendable {
        /// The alert's page.
        case alert
        /// What to do about it.
        case runbook
        /// Charts of it.
        case dashboard
        /// An order, by its reference.
        case order
        /// A trace, by its identifier.
        case trace

        /// The names that its URL may have filled in.
        var fields: [String] {
            switch self {
            case .alert, .runbook, .dashboard: ["alert", "rule", "domain", "code", "environment", "switch"]
            case .order: ["orderRef"]
            case .trace: ["traceId"]
            }
        }
    }

    var urls: [Target: PlaceholderText] = [:]

    /// The URL of a target; nil where there's no template, or where it asks for something that isn't known.
    func url(_ target: Target, _ value: (String) -> String?) -> String? {
        guard let template = urls[target] else { return nil }
        return try? template.filled { value($0).map(Self.encoded) }
    }

    /// The links of an alert, its own first.
    func links(of alert: Notice.AlertFacts, environment: String, switchKey: String?) -> [Notice.Link] {
        func value(_ name: String) -> String? {
            switch name {
            case "alert": alert.id
            case "rule": alert.rule
            case "domain": alert.group.first { $0.name == "error.domain" }?.value
            case "code": alert.group.first { $0.name == "error.code" }?.value
            case "environment": environment
            case "switch": switchKey
            default: nil
            }
        }
        return [Target.alert, .runbook, .dashboard].compactMap { target in
            url(target, value).map { Notice.Link(name: target.rawValue, url: $0) }
        }
    }

    /// A value as a part of a URL: all but the unreserved characters of RFC 3986, 2.3, percent-encoded.
    private static func encoded(_ value: String) -> String {
        PercentEncoding.encoded(value)
    }
}

/// Percent-encoding of single values.
enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// All but the unreserved characters of RFC 3986, 2.3, encoded.
    static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            if byte.isDigit || isLetter || "-._~".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
