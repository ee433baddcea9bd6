internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// What the settings of one rule mean together: each is right by itself, and the rule could still never do anything.
struct RuleCheck {
    let fields: FileFields
    /// Nil where it isn't known.
    let kind: RuleKind.Name?
    /// Nil where the conditions have problems of their own.
    let match: [Condition]?
    let count: Counting
    /// Nil where it isn't known.
    let windowMs: Int64?
    let retentionMs: Int64

    func note(_ reader: inout FileReader) {
        noteWindow(&reader)
        noteKind(&reader)
        noteMatch(&reader)
        if fields["trip"] != nil { noteTrip(&reader) }
    }

    private func noteWindow(_ reader: inout FileReader) {
        guard let windowMs, windowMs > retentionMs else { return }
        reader.note(
            .contradiction,
            at: fields.valuePosition("window"),
            found: "a window of \(DurationText.text(windowMs))",
            expected: "at most \(DurationText.text(retentionMs)), for which events are kept"
        )
    }

    // MARK: Kinds

    private func noteKind(_ reader: inout FileReader) {
        if count == .installs, let position = fields.keyPosition("maxPerInstall") {
            let found = "maxPerInstall where each install counts once anyway"
            reader.note(.contradiction, at: position, found: found, expected: "count: attempts, or no maxPerInstall")
        }
        guard let kind else { return }
        if !kind.canTrip, let position = fields.keyPosition("trip") {
            let found = "a trip by a rule of kind \(kind.rawValue), which says that something is odd"
            reader.note(.contradiction, at: position, found: found, expected: "another kind, or no trip")
        }
        switch kind {
        case .count, .newCode: break
        case .consecutive:
            noteGroups("consecutive failures", &reader)
            if areOnlySuccesses {
                let found = "consecutive failures among what didn't fail"
                let expected = "an outcome that is a failure"
                reader.note(.contradiction, at: position(of: .outcome), found: found, expected: expected)
            }
        case .noSuccess:
            noteGroups("attempts without success", &reader)
            noteMatchOfAttempts(&reader)
            noteAttempts(kind, &reader)
        case .share, .change, .burnRate, .unusualRate: noteAttempts(kind, &reader)
        case .inDoubtAge, .inDoubtTotal: noteDoubts(kind, &reader)
        case .keyLimit, .watchdog: noteWatcher(kind, &reader)
        }
        if fields["trip"] == nil, let position = fields["require"]?["webShare"]?.position {
            let found = "webShare of a rule that moves nobody"
            reader.note(.contradiction, at: position, found: found, expected: "a trip, or no webShare")
        }
    }

    /// A success has no error, and so no group that an error's attribute is part of.
    private func noteGroups(_ what: String, _ reader: inout FileReader) {
        for node in fields["groupBy"]?.elements ?? [] {
            guard let dimension = node.text.flatMap({ Dimension(rawValue: $0) }), dimension.isOfFailures else {
                continue
            }
            reader.note(
                .contradiction,
                at: node.position,
                found: "\(what) by \(dimension.rawValue), which no success has",
                expected: "attributes that successes have too"
            )
        }
    }

    private func noteMatchOfAttempts(_ reader: inout FileReader) {
        for condition in match ?? [] where !condition.dimension.isOfPayers {
            reader.note(
                .contradiction,
                at: position(of: condition.dimension),
                found: "attempts without success by \(condition.dimension.rawValue), which not every attempt has",
                expected: "attributes that are known before a payment"
            )
        }
    }

    /// Rates are those of attempts, each once.
    private func noteAttempts(_ kind: RuleKind.Name, _ reader: inout FileReader) {
        for (key, isFine) in [("count", count == .attempts), ("maxPerInstall", false)] where !isFine {
            guard let position = fields.keyPosition(key) else { continue }
            let found = "\(key) of a rule of kind \(kind.rawValue), which counts attempts, each once"
            reader.note(.contradiction, at: position, found: found, expected: "no \(key)")
        }
        guard kind != .change, let position = fields["require"]?["share"]?.position else { return }
        let found = "a required share of a rule of kind \(kind.rawValue)"
        reader.note(.contradiction, at: position, found: found, expected: "no share here")
    }

    /// These watch Shunt itself.
    private func noteWatcher(_ kind: RuleKind.Name, _ reader: inout FileReader) {
        for key in ["match", "groupBy", "count", "require", "maxPerInstall"] {
            guard let position = fields.keyPosition(key) else { continue }
            let found = "\(key) of a rule of kind \(kind.rawValue), which looks at no event"
            reader.note(.contradiction, at: position, found: found, expected: "no \(key)")
        }
    }

    /// These look at what is in doubt in an environment, whatever the events were that led there.
    private func noteDoubts(_ kind: RuleKind.Name, _ reader: inout FileReader) {
        for key in ["groupBy", "count", "require", "maxPerInstall"] {
            guard let position = fields.keyPosition(key) else { continue }
            let found = "\(key) of a rule of kind \(kind.rawValue), which looks at all that is in doubt"
            reader.note(.contradiction, at: position, found: found, expected: "no \(key)")
        }
        for condition in match ?? [] where condition.dimension != .environment {
            let found = "a condition on \(condition.dimension.rawValue), which isn't known of what is in doubt"
            let expected = "a condition on environment, or none"
            reader.note(.contradiction, at: position(of: condition.dimension), found: found, expected: expected)
        }
    }

    // MARK: Conditions

    private func noteMatch(_ reader: inout FileReader) {
        for condition in match ?? [] where condition.dimension.words != nil && allowed(condition.dimension).isEmpty {
            let found = "no value of \(condition.dimension.rawValue) is left"
            let position = position(of: condition.dimension)
            reader.note(.neverMatches, at: position, found: found, expected: "at least one")
        }
        let classes = allowed(.failureClass)
        let weights = allowed(.switchWeight)
        guard !classes.isEmpty, !weights.isEmpty else { return }
        if areOnlySuccesses {
            let expected = "no such condition: what didn't fail has class notFailure and switchWeight none"
            if !classes.contains(FailureClass.notFailure.rawValue) {
                let found = "a class beside outcomes that aren't failures"
                reader.note(.neverMatches, at: position(of: .failureClass), found: found, expected: expected)
            }
            if !weights.contains(SwitchWeight.none.rawValue) {
                let found = "a switchWeight beside outcomes that aren't failures"
                reader.note(.neverMatches, at: position(of: .switchWeight), found: found, expected: expected)
            }
        } else if !weights.contains(SwitchWeight.none.rawValue), neverCount(classes) {
            reader.note(
                .neverMatches,
                at: position(of: .switchWeight),
                found: "switchWeight \(FileReader.list(weights)) of class \(FileReader.list(classes))",
                expected: "another class: the payer's, the issuer's and risk refusals have switchWeight none"
            )
        }
    }

    private func noteTrip(_ reader: inout FileReader) {
        let weights = allowed(.switchWeight)
        let classes = allowed(.failureClass)
        let found: String
        let dimension: Dimension
        if weights == [SwitchWeight.none.rawValue] {
            (found, dimension) = ("switchWeight none", .switchWeight)
        } else if !classes.isEmpty, neverCount(classes) {
            (found, dimension) = ("class \(FileReader.list(classes))", .failureClass)
        } else if areOnlySuccesses {
            (found, dimension) = ("outcome \(FileReader.list(allowed(.outcome)))", .outcome)
        } else {
            return
        }
        reader.note(
            .neverTrips,
            at: position(of: dimension),
            found: "a trip by \(found), which never counts towards one",
            expected: "failures that count, or no trip"
        )
    }

    // MARK: Reasoning

    /// The values of an attribute that the conditions leave, of those that it can have.
    private func allowed(_ dimension: Dimension) -> [String] {
        (dimension.words ?? []).filter { value in
            (match ?? []).allSatisfy { condition in
                guard condition.dimension == dimension else { return true }
                return switch condition.test {
                case .oneOf(let values): values.contains(value)
                case .noneOf(let values): !values.contains(value)
                case .prefix(let prefixes): prefixes.contains { value.hasPrefix($0) }
                case .versions, .numbers: false
                }
            }
        }
    }

    private var areOnlySuccesses: Bool {
        let outcomes = allowed(.outcome)
        return !outcomes.isEmpty && outcomes.allSatisfy { [.succeeded, .attempted].contains(Outcome(rawValue: $0)) }
    }

    private func neverCount(_ classes: [String]) -> Bool {
        classes.allSatisfy { FailureClass(rawValue: $0)?.neverCounts ?? false }
    }

    private func position(of dimension: Dimension) -> YAMLPosition {
        fields["match"]?[dimension.rawValue]?.position ?? fields.valuePosition("match")
    }
}
