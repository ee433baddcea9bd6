internal import ShuntCore
internal import ShuntSchema

extension JSONWriter {
    mutating func write(_ page: ErrorPage, language: NoticeLanguage) {
        beginObject()
        field("code", page.code)
        field("at", page.at)
        key("keys")
        beginArray()
        for key in page.keys { write(key, language: language) }
        endArray()
        endObject()
    }

    private mutating func write(_ page: ErrorPage.Key, language: NoticeLanguage) {
        let record = page.record
        beginObject()
        field("domain", record.key.domain)
        field("code", record.key.code)
        field("environment", record.key.environment)
        writeMeaning(of: page)
        field("firstSeenAt", record.firstAt)
        field("lastSeenAt", record.lastAt)
        field("total", record.total)
        field("windowSec", page.windowMs / 1_000)
        field("countedSince", page.countedSince)
        key("counts")
        beginObject()
        field("window", page.lastWindow)
        field("oneHour", page.lastHour)
        field("twentyFourHours", page.lastDay)
        endObject()
        writeSeries(page.series, stepMs: 60_000)
        field("attempts", page.summary.attempts)
        field("installs", page.summary.installs)
        if let share = page.sharePercent {
            key("sharePercent")
            number(share)
        }
        writeAmounts("amount", page.summary.orderedAmounts)
        let minutes = Int128(max(1, page.windowMs / 60_000))
        writeAmounts("amountPerMinute", page.summary.orderedAmounts.map { ($0.currency, $0.minor / minutes) })
        if let conclusions = page.conclusions { write(conclusions, language: language) }
        writeBreakdown(page.breakdown)
        key("samples")
        beginArray()
        for sample in page.samples { write(sample) }
        endArray()
        writeFacts(of: page)
        key("environments")
        beginArray()
        for (environment, lastDay, total) in page.environments {
            beginObject()
            field("environment", environment)
            field("twentyFourHours", lastDay)
            field("total", total)
            endObject()
        }
        endArray()
        endObject()
    }

    /// Where failures happen and what they are likely to come from, as fields.
    mutating func write(_ conclusions: Conclusions, language: NoticeLanguage) {
        let text = CauseText.of(language)
        key("causes")
        beginArray()
        for (rank, cause) in conclusions.localisation.causes.enumerated() {
            cause.write(to: &self, text: text, rank: rank)
        }
        endArray()
        field("causesVerdict", conclusions.localisation.verdict.rawValue)
        key("diagnoses")
        beginArray()
        for match in conclusions.diagnoses { diagnosis(match, in: language) }
        endArray()
    }

    private mutating func writeMeaning(of page: ErrorPage.Key) {
        let meaning = page.meaning
        field("class", (meaning?.failureClass ?? page.record.failureClass).rawValue)
        field("name", page.explanation?.row?.entry.name)
        if let note = page.explanation?.row?.entry.note, !note.isEmpty { field("note", note) }
        field("retry", meaning?.retry.rawValue)
        field("money", meaning?.money.rawValue)
        field("switchWeight", meaning?.switchWeight.rawValue)
        field("why", page.explanation?.sentence)
        field("say", page.explanation?.signature?.say)
    }

    private mutating func writeBreakdown(_ breakdown: [ErrorPage.Breakdown]) {
        key("breakdown")
        beginArray()
        for attribute in breakdown {
            beginObject()
            field("name", attribute.dimension.rawValue)
            key("values")
            beginArray()
            for value in attribute.values {
                beginObject()
                field("value", value.value)
                field("count", value.count)
                key("share")
                number(value.share)
                if let before = value.baselineShare {
                    key("baselineShare")
                    number(before)
                    if before > 0 {
                        key("lift")
                        number((value.share / before * 10).rounded() / 10)
                    }
                }
                endObject()
            }
            endArray()
            endObject()
        }
        endArray()
    }

    private mutating func writeFacts(of page: ErrorPage.Key) {
        key("alerts")
        beginArray()
        for alert in page.alerts {
            beginObject()
            field("id", alert.id)
            field("rule", alert.rule)
            field("state", alert.state)
            field("severity", alert.severity)
            field("startsAt", alert.startsAt)
            field("endsAt", alert.endsAt)
            field("switch", alert.switchKey)
            field("decision", alert.decision)
            endObject()
        }
        endArray()
        key("switches")
        beginArray()
        for facts in page.switches {
            beginObject()
            field("key", facts.key)
            field("scope", facts.scope.text)
            field("state", facts.state)
            field("variant", facts.variant)
            field("since", facts.since)
            field("version", facts.version)
            endObject()
        }
        endArray()
    }

    /// An event as it is stored, with its place in the journal and the time of receipt.
    mutating func write(_ sample: ErrorPage.Sample) {
        beginObject()
        field("seq", sample.seq)
        field("receivedAt", sample.at)
        key("event")
        sample.event.write(to: &self)
        endObject()
    }
}
