internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

extension JSONWriter {
    /// Writes what a transition was decided by. Who commanded it stands beside it in the audit's row.
    mutating func write(_ evidence: SwitchEvidence) {
        beginObject()
        field("ground", evidence.ground.name)
        field("lastSeq", evidence.lastSeq)
        field("level", evidence.level)
        switch evidence.ground {
        case .rule(let ground): write(ground)
        case .probe(let ground):
            field("since", ground.machine.since)
            field("state", ground.machine.phase.rawValue)
            field("percent", ground.definition.recovery.triedPercent(in: ground.machine.state))
        case .timer(let timer):
            field("timer", timer.purpose.rawValue)
            field("dueAt", timer.at)
            field("setUnder", timer.version)
        case .command, .ruleFiles: break
        }
        if !evidence.conditions.isEmpty {
            key("conditions")
            beginArray()
            for condition in evidence.conditions { write(condition) }
            endArray()
        }
        endObject()
    }

    private mutating func write(_ ground: RuleGround) {
        field("ruleSha256", Digest.sha256(ground.rule.canonicalBytes).hexadecimal)
        field("kind", ground.rule.kind.name.rawValue)
        field("counting", ground.rule.count.rawValue)
        field("windowMs", ground.rule.windowMs)
        field("since", ground.since)
        key("group")
        beginObject()
        for attribute in ground.group { field(attribute.name, attribute.value) }
        endObject()
        field("decision", ground.decision.name)
    }

    private mutating func write(_ condition: EvidenceCondition) {
        beginObject()
        field("name", condition.name.rawValue)
        field("standing", condition.standing.rawValue)
        field("value", condition.value)
        field("total", condition.total)
        field("limit", condition.limit)
        endObject()
    }
}
