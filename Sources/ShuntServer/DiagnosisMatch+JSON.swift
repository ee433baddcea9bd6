internal import ShuntCore
internal import ShuntSchema

extension TriageText {
    /// The sentence in a language.
    func text(in language: NoticeLanguage) -> String { language.say(english, chinese) }
}

extension JSONWriter {
    /// Writes a diagnosis with what speaks for it, in a language.
    mutating func diagnosis(_ match: DiagnosisMatch, in language: NoticeLanguage) {
        let diagnosis = match.diagnosis
        beginObject()
        field("id", diagnosis.id)
        field("title", diagnosis.title.text(in: language))
        field("cause", diagnosis.cause.text(in: language))
        key("verify")
        beginArray()
        for check in diagnosis.verify {
            beginObject()
            field("check", check.text.text(in: language))
            field("command", check.command)
            endObject()
        }
        endArray()
        field("nextStep", diagnosis.nextStep.text(in: language))
        field("owner", diagnosis.owner)
        field("class", diagnosis.failureClass.rawValue)
        field("runbook", diagnosis.runbook)
        facts("matched", match.matched, in: language)
        facts("unmatched", match.unmatched, in: language)
        facts("unknown", match.unknown, in: language)
        field("score", match.score)
        endObject()
    }

    private mutating func facts(_ name: String, _ facts: [DiagnosisFact], in language: NoticeLanguage) {
        key(name)
        beginArray()
        for fact in facts { string(fact.words.text(in: language)) }
        endArray()
    }
}
