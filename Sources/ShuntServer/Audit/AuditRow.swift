internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// Something that the audit must be able to tell: who decided what, what a switch did, which rules came into force.
///
/// It is made from an entry and what the fold said about it, so a replay makes the same rows again.
struct AuditRow: Sendable, Equatable {
    /// Its place in the order of all that ever happened; each place is taken once.
    struct Place: Hashable, Comparable, Sendable {
        /// The journal's entry.
        var seq: UInt64
        /// 0 is what came in, what the fold made of it comes after that.
        var index: Int

        static func < (left: Place, right: Place) -> Bool {
            (left.seq, left.index) < (right.seq, right.index)
        }
    }

    enum Content: Sendable, Equatable {
        /// The audit of a journal that is older: what was before isn't in it.
        case begun
        case founded
        case rules(sha256: Digest, rules: Int, switches: Int)
        case command(SwitchCommand, refusal: SwitchHold?)
        case transition(SwitchTransition, by: SwitchCommand?)
        case alertCommand(AlertCommand, answer: Result<String, AlertRefusal>)
        case settle(SettleCommand, refusal: SettleRefusal?)
    }

    /// The journal that the place belongs to.
    var epoch: String
    var place: Place
    var at: Timestamp
    var content: Content

    /// The rows of an entry that was just folded in.
    ///
    /// None for a journal whose beginning is gone: its name isn't known any more, and its rows were written in its time.
    static func rows(of entry: Entry, effects: [Effect], in state: State) -> [AuditRow] {
        guard !state.epoch.isEmpty else { return [] }
        var command: SwitchCommand?
        var contents: [(index: Int, content: Content)] = []
        switch entry.input {
        case .event, .tick, .started: if effects.isEmpty { return [] }
        case .founded: contents.append((0, .founded))
        case .configured(let ruleSet):
            let digest = Digest.sha256(entry.input.encodedBody())
            contents.append((0, .rules(sha256: digest, rules: ruleSet.rules.count, switches: ruleSet.switches.count)))
        case .alertCommand(let given):
            if let answer = state.lastAlertAnswer { contents.append((0, .alertCommand(given, answer: answer))) }
        case .settle(let given): contents.append((0, .settle(given, refusal: state.lastSettleRefusal)))
        case .command(let given):
            command = given
            contents.append((0, .command(given, refusal: state.lastRefusal)))
        }
        for effect in effects {
            guard case .switchMoved(let transition) = effect.kind else { continue }
            // What was due before a command isn't its doing.
            let isOfCommand = transition.cause.isOfPerson && transition.key == command?.key
            contents.append((effect.id.index + 1, .transition(transition, by: isOfCommand ? command : nil)))
        }
        return contents.map { index, content in
            AuditRow(epoch: state.epoch, place: Place(seq: entry.seq, index: index), at: state.at, content: content)
        }
    }

    /// The switch whose history it belongs to.
    var historyOf: String? {
        if case .transition(let transition, _) = content { transition.key } else { nil }
    }

    /// What every line begins with, so that the columns beside it can be held against it.
    static func head(number: Int64, epoch: String, place: Place) -> JSONWriter {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.field("number", number)
        writer.field("epoch", epoch)
        writer.field("seq", place.seq)
        writer.field("index", place.index)
        return writer
    }

    /// The row as JSON in one fixed order: what the chain's hash is taken of.
    func line(number: Int64) -> [UInt8] {
        var writer = Self.head(number: number, epoch: epoch, place: place)
        writer.field("at", at)
        switch content {
        case .begun:
            writer.field("kind", "begun")
        case .founded:
            writer.field("kind", "founded")
        case .rules(let sha256, let rules, let switches):
            writer.field("kind", "rules")
            writer.field("rulesSha256", sha256.hexadecimal)
            writer.field("rules", rules)
            writer.field("switches", switches)
        case .command(let command, let refusal):
            writer.field("kind", "command")
            writer.field("action", command.action.verb.rawValue)
            writer.write(command.scope, of: command.key)
            switch command.action {
            case .trip, .restore, .clear: break
            case .override(let variant, let forMs):
                writer.field("variant", variant)
                writer.field("forMs", forMs)
            case .mode(let mode): writer.field("mode", mode.rawValue)
            }
            writer.write(by: command)
            writer.field("reason", command.reason)
            writer.field("result", refusal?.rawValue ?? "done")
        case .alertCommand(let command, let answer):
            writer.field("kind", "alertCommand")
            writer.write(command, answer: answer)
        case .settle(let command, let refusal):
            writer.field("kind", "settle")
            writer.field("attempt", command.attempt)
            writer.field("environment", command.environment)
            writer.field("settlement", command.result.rawValue)
            writer.field("actor", command.actor)
            writer.field("origin", command.origin)
            writer.field("reason", command.note)
            writer.field("result", refusal?.rawValue ?? "done")
        case .transition(let transition, let command):
            writer.field("kind", "transition")
            writer.field("cause", transition.cause.rawValue)
            writer.write(transition.scope, of: transition.key)
            writer.field("from", transition.from.rawValue)
            writer.field("to", transition.to.rawValue)
            writer.field("variant", transition.variant)
            writer.field("version", transition.version)
            if let command { writer.write(by: command) }
            writer.field("rule", transition.reason.rule)
            writer.field("alert", transition.reason.alert)
            writer.field("reason", transition.reason.summary)
            if let evidence = transition.evidence {
                writer.key("evidence")
                writer.write(evidence)
            }
        }
        writer.endObject()
        return writer.bytes
    }
}

extension SwitchCause {
    /// Whether a command makes it.
    fileprivate var isOfPerson: Bool {
        switch self {
        case .operatorTrips, .operatorRestores, .disarmed, .overrideSet, .overrideCleared, .modeChanged: true
        case .ruleTrips, .coolDownEnds, .probeIsGood, .probeIsBad, .probeIsUnknown, .askPerson, .overrideExpired: false
        }
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ scope: Scope, of key: String) {
        field("switch", key)
        field("environment", scope.environment)
        guard !scope.attributes.isEmpty else { return }
        self.key("match")
        beginObject()
        for attribute in scope.attributes { field(attribute.name, attribute.value) }
        endObject()
    }

    fileprivate mutating func write(by command: SwitchCommand) {
        field("actor", command.actor)
        field("origin", command.origin)
    }

    fileprivate mutating func write(_ command: AlertCommand, answer: Result<String, AlertRefusal>) {
        field("action", command.action.verb.rawValue)
        let given: (id: String?, reason: String)
        switch command.action {
        case .acknowledge(let alert, let note, let forMs):
            given = (nil, note)
            field("alert", alert)
            field("forMs", forMs)
        case .silence(let request):
            given = (try? answer.get(), request.comment)
            key("matchers")
            beginArray()
            for matcher in request.matchers { string("\(matcher.name)\(matcher.comparison.rawValue)\(matcher.value)") }
            endArray()
            switch request.end {
            case .at(let end): field("endsAt", end)
            case .after(let milliseconds): field("forMs", milliseconds)
            }
            field("untilResolved", request.isUntilResolved)
        case .expire(let silence): given = (silence, "")
        }
        if let id = given.id { field("silence", id) }
        field("actor", command.actor)
        field("origin", command.origin)
        field("reason", given.reason)
        if case .failure(let refusal) = answer { field("result", refusal.rawValue) } else { field("result", "done") }
    }
}
