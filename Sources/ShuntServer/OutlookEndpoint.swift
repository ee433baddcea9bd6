internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// `GET /v1/outlook`: what each switch does next of its own accord, and when; and how near each rule is to its threshold.
///
/// Apart from the switches' document: a restart moves these times without a new version, and apps have no use for them.
struct OutlookEndpoint: Sendable {
    let engine: Engine

    func get(_ request: HTTPRequest, responder: HTTPResponder) throws(Problem) -> HTTPOutcome {
        let query = LookQuery(request.head)
        let environment = try query.text("environment", limit: EventLimit.name) ?? PaymentEvent.defaultEnvironment
        let late = Problem.retryLater(503, "overloaded", "the writer is too busy to be asked; nothing was changed")
        let submission = Submission(
            work: .look { state, at in
                var writer = JSONWriter(capacity: 1_024)
                writer.write(outlookOf: state, environment: environment, at: at)
                return LookQuery.reply(writer)
            },
            receivedAtNs: request.receivedAtNanoseconds,
            responder: responder,
            reply: { _ in late.reply }
        )
        guard engine.submit(submission) else { throw late }
        return .parked(
            deadlineNanoseconds: request.receivedAtNanoseconds + ExplainEndpoint.patienceNs,
            timeoutReply: late.reply
        )
    }
}

extension JSONWriter {
    fileprivate mutating func write(outlookOf state: State, environment: String, at: Timestamp) {
        beginObject()
        field("environment", environment)
        field("at", at)
        key("switches")
        beginArray()
        for definition in state.ruleSet.switches {
            let machines = state.switches.allMachines.filter {
                $0.key == definition.key && $0.scope.environment == environment
            }
            beginObject()
            field("key", definition.key)
            field("mode", state.switches.mode(of: definition).rawValue)
            field("recovery", definition.recovery.mode.rawValue)
            key("variants")
            beginObject()
            field("normal", definition.normalVariant)
            field("degraded", definition.degradedVariant)
            endObject()
            key("scopes")
            beginArray()
            for machine in machines { write(machine, of: definition) }
            endArray()
            endObject()
        }
        endArray()
        key("rules")
        beginArray()
        for standing in state.standings(environment: environment, at: at) { write(standing) }
        endArray()
        endObject()
    }

    private mutating func write(_ standing: RuleStanding) {
        beginObject()
        field("id", standing.rule.id)
        field("threshold", standing.rule.threshold)
        field("groups", standing.groups)
        if let nearest = standing.nearest {
            key("nearest")
            write(nearest, of: standing.rule)
        }
        endObject()
    }

    private mutating func write(_ machine: SwitchMachine, of definition: SwitchDefinition) {
        beginObject()
        key("match")
        beginObject()
        for attribute in machine.scope.attributes { field(attribute.name, attribute.value) }
        endObject()
        field("state", machine.phase.rawValue)
        field("since", machine.since)
        field("level", machine.state.level)
        if let timer = machine.timer {
            key("next")
            beginObject()
            field("step", timer.purpose.rawValue)
            field("at", timer.at)
            endObject()
        }
        field("asksPerson", machine.isAskingPerson(definition))
        if let evidence = machine.evidence {
            key("trying")
            beginObject()
            field("attempts", evidence.attempts)
            field("failures", evidence.failures)
            field("failedInstalls", evidence.failedInstalls)
            field("attemptsWanted", definition.recovery.probeAttempts)
            endObject()
        }
        if let override = machine.override {
            key("override")
            beginObject()
            field("variant", override.variant)
            field("actor", override.actor)
            field("reason", override.reason)
            field("endsAt", override.endsAt)
            endObject()
        }
        endObject()
    }
}
