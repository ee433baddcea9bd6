internal import ShuntCore

/// A channel's own text: its first line is the title, the others follow it.
struct NoticeTemplate: Equatable, Sendable {
    let text: PlaceholderText

    /// What it may name. `title`, `impact` and `facts` are the lines of the built-in text.
    enum Field: String, CaseIterable {
        case title, impact, facts, severity, code, rule, description, environment, alert, happening
        case count, window, attempts, share, payers, amount, since, lasted
        case location = "where"
        case cause, nextStep
        case switchKey = "switch"
        case variant, version, actor, link
    }

    static let fields = Field.allCases.map(\.rawValue)

    /// The notice in this text.
    ///
    /// - Throws: What isn't known of this notice; the built-in text tells it without.
    func text(
        of notice: Notice,
        builtIn: NoticeText,
        zone: LocalZone
    ) throws(PlaceholderText.Problem) -> NoticeText {
        let filled = try text.filled { name in
            guard let field = Field(rawValue: name) else { return nil }
            let value = Self.value(field, of: notice, builtIn, zone)
            // The built-in lines keep theirs; a value from outside stays one line.
            return field == .facts ? value : value.map { MessageText.line($0, limit: 1000) }
        }
        let lines = filled.split(whereSeparator: \.isNewline).map(String.init)
        guard let title = lines.first(where: { $0.contains { !$0.isWhitespace } }) else { throw .missing("title") }
        var result = builtIn
        result.title = title
        result.impact = ""
        let rest = lines.drop { $0 != title }.dropFirst()
        result.facts = rest.map { NoticeText.Fact(kind: .own, label: "", value: $0) }
        return result
    }

    private static func value(_ field: Field, of notice: Notice, _ text: NoticeText, _ zone: LocalZone) -> String? {
        let failures = notice.failures
        let language = text.language
        switch field {
        case .title: return text.title
        case .impact: return text.impact
        case .facts: return text.lines.dropFirst(text.impact.isEmpty ? 0 : 1).joined(separator: "\n")
        case .severity: return notice.alert?.severity.rawValue
        case .code: return notice.errorKey
        case .rule: return notice.alert?.rule
        case .description: return notice.alert?.description
        case .environment: return notice.environment
        case .alert: return notice.alert?.id
        case .happening: return notice.happening.rawValue
        case .count: return failures.count.map { MoneyText.grouped("\($0)") }
        case .window: return failures.windowMs.map(language.duration)
        case .attempts: return failures.attempts.map { MoneyText.grouped("\($0)") }
        case .share: return failures.sharePercent.map { "\($0) %" }
        case .payers: return failures.payers.map { MoneyText.grouped("\($0)") }
        case .amount:
            let sums = failures.amounts.map { MoneyText.text($0.minor, $0.currency) }
            return sums.isEmpty ? nil : sums.joined(separator: " + ")
        case .since: return notice.alert.map { zone.clock($0.startsAt, now: notice.at) }
        case .lasted: return notice.lastedMs.map(language.duration)
        case .location: return notice.location
        case .cause: return notice.cause
        case .nextStep: return notice.nextStep
        case .switchKey: return notice.move?.key
        case .variant: return notice.move?.variant
        case .version: return notice.move?.version.map { "\($0)" }
        case .actor: return notice.actor
        case .link: return notice.link
        }
    }
}

extension FileValue where Value == NoticeTemplate {
    /// A channel's own text.
    static var noticeTemplate: Self {
        let placeholders = FileValue<PlaceholderText>.placeholders(NoticeTemplate.fields, in: "a text")
        return Self(placeholders.expected) { node, reader in
            placeholders.read(node, &reader).map(NoticeTemplate.init(text:))
        }
    }
}
