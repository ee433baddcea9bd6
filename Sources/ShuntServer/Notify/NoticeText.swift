internal import ShuntCore
internal import ShuntSchema

/// A notice in words: what a phone shows first, then the rest, a fact a line.
///
/// Everything from outside has been made one line each, so whatever a receiver does with line breaks, nobody can write
/// lines of their own.
struct NoticeText: Equatable, Sendable {
    /// The language that it's written in.
    var language: NoticeLanguage
    /// The first line and the push notification: how loud, what fails, what the switch did.
    var title: String
    /// The second line: how many payers, how much money, since when.
    var impact: String
    /// The lines after it.
    var facts: [Fact]
    /// Where to look; apart from the facts, since most channels make links their own way.
    var links: [Notice.Link]

    /// One line with a label.
    struct Fact: Equatable, Sendable {
        /// What kind of fact it is, apart from its language.
        enum Kind: String, Sendable {
            case test, passedOn, location, cause, nextStep, move, code, rule, acknowledge, own
        }

        var kind: Kind
        var label: String
        var value: String
    }

    /// The lines after the first, without links.
    var lines: [String] {
        (impact.isEmpty ? [] : [impact])
            + facts.map { $0.label.isEmpty ? $0.value : language.labelled($0.label, $0.value) }
    }

    /// All lines as plain text, links at the end.
    var plain: String {
        let addresses = links.map { language.labelled(language.linkLabel($0.name), $0.url) }
        return ([title] + lines + addresses).joined(separator: "\n")
    }
}

extension NoticeText {
    /// The built-in text of a notice.
    init(_ notice: Notice, language: NoticeLanguage, zone: LocalZone) {
        let writer = NoticeWriter(notice: notice, language: language, zone: zone)
        self.language = language
        title = writer.title
        impact = writer.impact
        facts = writer.facts
        links = notice.links.map { Notice.Link(name: MessageText.line($0.name, limit: 40), url: $0.url) }
    }
}

/// Puts a notice into words.
private struct NoticeWriter {
    let notice: Notice
    let language: NoticeLanguage
    let zone: LocalZone

    // MARK: The first line

    var title: String {
        let test = notice.isTest ? language.testMark : ""
        if notice.happening == .switchMoved, let move = notice.move { return test + movedTitle(move) }
        let mark = notice.happening == .resolved ? language.resolvedMark : severityMark
        if notice.happening == .resolved { return test + mark + subject + language.colon + closing }
        let what = [happened, failing ?? description].compactMap(\.self).joined(separator: language.say(", ", "，"))
        let action = action.map { " → \($0)" } ?? ""
        return test + mark + subject + (what.isEmpty ? "" : language.colon + what) + action
    }

    private var severityMark: String { notice.alert.map { language.mark($0.severity) } ?? "" }

    /// What fails: the code, or whatever else the rule groups by, or the rule. Where it isn't production it says so:
    /// nobody should get up for a sandbox.
    private var subject: String {
        let isProduction = notice.environment == PaymentEvent.defaultEnvironment
        let place = isProduction ? "" : language.bracketed(MessageText.line(notice.environment, limit: 40))
        return (group ?? MessageText.line(notice.alert?.description ?? "Shunt", limit: 120)) + place
    }

    private var group: String? {
        if let key = notice.errorKey { return MessageText.line(key, limit: 80) }
        let group = (notice.alert?.group ?? []).filter { $0.name != "environment" }
        guard !group.isEmpty else { return nil }
        return MessageText.line(group.map { "\($0.name)=\($0.value)" }.joined(separator: ", "), limit: 80)
    }

    /// The rule's own sentence, where nothing else says what is wrong.
    private var description: String? {
        guard group != nil, let alert = notice.alert else { return nil }
        return MessageText.line(alert.description, limit: 120)
    }

    private var failing: String? {
        let facts = notice.failures
        let window = facts.windowMs.map(language.duration)
        var parts: [String] = []
        if let count = facts.count {
            parts.append(language.failing(count, within: window) + (facts.usual.map(language.usual) ?? ""))
        }
        if let share = facts.sharePercent { parts.append(language.share(share, of: facts.attempts)) }
        if notice.happening == .warning, let threshold = facts.threshold { parts.append(language.threshold(threshold)) }
        return parts.isEmpty ? nil : parts.joined(separator: " · ")
    }

    private var happened: String? {
        switch notice.happening {
        case .firing, .warning, .resolved, .switchMoved: return nil
        case .reminder: return language.stillFiring
        case .mitigated:
            return notice.move?.variant.map { language.mitigated(on: line($0)) } ?? language.mitigated
        case .escalated: return language.escalated
        case .acknowledged: return language.acknowledged(by: notice.actor.map { line($0) })
        }
    }

    /// What the switch did. Who is told that payers are moved already needn't be told twice.
    private var action: String? {
        guard let move = notice.move, notice.happening != .mitigated else { return nil }
        let key = line(move.key)
        let variant = move.variant.map { line($0) }
        switch move.decision {
        case .tripped: return variant.map { language.moved(key, to: $0) }
        case .wouldHaveTripped: return language.wouldHaveMoved(key, to: variant)
        case .overridden: return language.overridden(key)
        case .held(.alreadyDegraded): return variant.map { language.moved(key, to: $0) }
        case .held(let hold): return language.held(language.reason(hold, switch: key))
        case .noSwitch, nil: return nil
        }
    }

    private var closing: String {
        var parts: [String] = []
        if let lasted = notice.lastedMs { parts.append(language.lasted(language.duration(lasted))) }
        if let closing = notice.closing {
            let money = moneyText(closing.amounts)
            if let failed = closing.failed { parts.append(language.totalFailed(failed, money)) }
            if let saved = closing.saved { parts.append(language.saved(saved)) }
            if let ending = closing.ending { parts.append(line(language.ended(ending))) }
        }
        return parts.joined(separator: " · ")
    }

    private func movedTitle(_ move: Notice.MoveFacts) -> String {
        let slice = MessageText.line(move.scope?.text ?? notice.environment, limit: 120)
        let variant = move.variant.map { " → \(line($0))" } ?? ""
        let cause = move.cause.map { language.colon + language.cause($0) } ?? ""
        let reason = move.reason.map { move.cause == nil ? language.colon + line($0) : language.bracketed(line($0)) }
        return language.switchMark + "\(line(move.key)) · \(slice)\(variant)\(cause)\(reason ?? "")"
    }

    // MARK: The second line

    var impact: String {
        var parts: [String] = []
        if notice.happening != .resolved {
            if let payers = notice.failures.payers { parts.append(language.payers(payers)) }
            if let money = moneyText(notice.failures.amounts) { parts.append(language.failed(money)) }
        }
        if let alert = notice.alert {
            let lasted = language.duration(notice.lastedMs ?? 0)
            parts.append(language.since(zone.clock(alert.startsAt, now: notice.at), lasting: lasted))
        }
        return parts.joined(separator: " · ")
    }

    private func moneyText(_ amounts: [Notice.Amount]) -> String? {
        amounts.isEmpty ? nil : amounts.prefix(5).map(money).joined(separator: " + ")
    }

    /// With a sign where it means one currency only: `¥` for the yuan, not for the yen, and `$` for one dollar of many.
    private func money(_ amount: Notice.Amount) -> String {
        let sign: String? =
            switch amount.currency {
            case "CNY": "¥"
            case "EUR": "€"
            case "GBP": "£"
            case "USD": "$"
            default: nil
            }
        guard let sign, amount.minor >= 0 else { return MoneyText.text(amount.minor, line(amount.currency)) }
        return sign + MoneyText.amount(amount.minor, amount.currency)
    }

    // MARK: The rest

    var facts: [NoticeText.Fact] {
        var facts: [NoticeText.Fact] = []
        func add(_ kind: NoticeText.Fact.Kind, _ label: String, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            facts.append(NoticeText.Fact(kind: kind, label: label, value: value))
        }
        if notice.isTest { add(.test, "Shunt", language.isTest) }
        add(.passedOn, "Shunt", notice.insteadOf.map { language.passedOn(from: line($0)) })
        add(.location, language.whereLabel, place)
        add(.cause, language.causeLabel, notice.cause.map { line($0) })
        // Nothing is left to do, and the switch is back, when it's over.
        if notice.happening != .resolved {
            add(.nextStep, language.nextStepLabel, notice.nextStep.map { line($0) })
            add(.move, language.switchLabel, notice.move.flatMap(moveLine))
        }
        add(.code, language.codeLabel, notice.errorCode.map { line($0) })
        add(.rule, language.ruleLabel, notice.alert.map { line("\($0.rule) · \($0.description)") })
        if let alert = notice.alert, notice.happening != .resolved, notice.happening != .acknowledged, !notice.isTest {
            add(.acknowledge, language.acknowledgeLabel, "shunt alerts ack \(line(alert.id))")
        }
        return facts
    }

    /// Which payers. The environment alone says nothing that isn't taken for granted.
    private var place: String {
        guard let location = notice.location else { return slice }
        return line(location) + (slice == PaymentEvent.defaultEnvironment ? "" : " · \(slice)")
    }

    /// The environment and what else the group says beside the code.
    private var slice: String {
        let rest = (notice.alert?.group ?? []).filter {
            !["environment", "error.domain", "error.code"].contains($0.name)
        }
        return line(([notice.environment] + rest.map { "\($0.name)=\($0.value)" }).joined(separator: ", "))
    }

    private func moveLine(_ move: Notice.MoveFacts) -> String? {
        guard let variant = move.variant, isMoved(move) else { return nil }
        let time = move.at.map { zone.clock($0, now: notice.at, withSeconds: true) }
        var text = line(move.key) + (move.scope.map { " · \(line($0.text))" } ?? "")
        text += " " + language.moved(to: line(variant), at: time)
        if let version = move.version { text += language.bracketed(language.version(version)) }
        if let step = move.nextStep {
            let start = move.nextStepAt.map { zone.clock($0, now: notice.at) }
            let words = language.next(step)
            text += language.say("; ", "；") + (start.map { language.from($0, words) } ?? words)
        }
        return text
    }

    private func isMoved(_ move: Notice.MoveFacts) -> Bool {
        switch move.decision {
        case .tripped, .held(.alreadyDegraded), nil: true
        case .wouldHaveTripped, .overridden, .held, .noSwitch: false
        }
    }

    private func line(_ text: String) -> String { MessageText.line(text) }
}
