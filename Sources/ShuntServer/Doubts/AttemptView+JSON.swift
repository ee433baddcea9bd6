internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

extension JSONWriter {
    /// Writes an attempt, but for its end: the members that follow are the caller's.
    mutating func writeMembers(of attempt: AttemptView, at now: Timestamp) {
        field("attemptId", attempt.id)
        field("environment", attempt.environment)
        field("orderRef", attempt.orderRef)
        field("money", attempt.phase.rawValue)
        field("inDoubt", attempt.inDoubtSince != nil)
        field("reason", attempt.reason.rawValue)
        field("advice", attempt.advice.rawValue)
        field("webAllowed", attempt.webAllowed)
        field("stage", attempt.stage.rawValue)
        if let error = attempt.error {
            key("error")
            beginObject()
            field("domain", error.domain)
            field("code", error.code)
            endObject()
        }
        if let amount = attempt.amount {
            key("amount")
            writeAmount(Int128(amount.minor), amount.currency)
        }
        field("firstAt", attempt.firstAt)
        field("lastAt", attempt.lastAt)
        if let since = attempt.inDoubtSince {
            field("inDoubtSince", since)
            field("ageMs", max(0, now.milliseconds - since.milliseconds))
        }
        key("findings")
        beginArray()
        for finding in attempt.findings { string(finding.rawValue) }
        endArray()
        field("eventCount", attempt.eventCount)
    }

    /// Writes money: minor units, and the same for people.
    mutating func writeAmount(_ minor: Int128, _ currency: String, count: Int? = nil) {
        beginObject()
        // A sum of many amounts may be more than a number of JSON is read as; 64 bits are what everybody reads.
        field("minor", Int64(clamping: minor))
        field("currency", currency)
        field("text", MoneyText.text(minor, currency))
        field("attempts", count)
        endObject()
    }

    /// Writes what the journal holds of an attempt; an entry that can't be read is said to be so.
    mutating func writeEvents(_ entries: [Result<Entry, JournalReader.Unreadable>]) {
        beginArray()
        for entry in entries {
            beginObject()
            switch entry {
            case .failure(let error):
                field("seq", error.seq)
                field("unreadable", error.reason)
            case .success(let entry):
                field("seq", entry.seq)
                field("at", entry.at)
                switch entry.input {
                case .event(let event):
                    key("event")
                    event.write(to: &self)
                case .settle(let command):
                    key("settled")
                    beginObject()
                    field("result", command.result.rawValue)
                    field("actor", command.actor)
                    field("note", command.note)
                    endObject()
                default: break
                }
            }
            endObject()
        }
        endArray()
    }
}
