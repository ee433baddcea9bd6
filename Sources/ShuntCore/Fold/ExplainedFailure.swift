internal import ShuntSchema

/// The failures that a question is about: one at each stage that it leaves possible.
struct ExplainedFailure {
    /// One failure, and what it means.
    struct Variant {
        var event: PaymentEvent
        var meaning: Classification
    }

    /// The failure as the question tells it.
    let told: Variant
    /// Those that it may be; only the one where a stage is told.
    let variants: [Variant]
    private let question: FailureQuestion

    init(_ question: FailureQuestion, domain: String, catalogue: Catalogue) {
        func variant(_ stage: Stage) -> Variant {
            var event = PaymentEvent(error: ErrorReport(domain: domain, code: question.code))
            event.environment = question.environment ?? event.environment
            event.stage = stage
            return Variant(event: event, meaning: catalogue.classify(event))
        }
        self.question = question
        told = variant(question.stage ?? .unknown)
        variants = question.stage == nil ? Stage.allCases.map(variant) : [told]
    }

    /// Why the rule doesn't look at such a failure, whatever the question leaves open; empty where it may.
    func holds(of rule: Rule) -> [RuleHold] {
        var holds: [RuleHold] = []
        for condition in rule.match where isTold(condition.dimension) {
            guard !variants.contains(where: { condition.holds(for: $0.event, meaning: $0.meaning) }) else { continue }
            holds.append(.unmatched(condition, found: condition.dimension.value(in: told.event, meaning: told.meaning)))
        }
        if rule.trip != nil, variants.allSatisfy({ $0.meaning.switchWeight == .none }) {
            holds.append(.weightless(told.meaning.failureClass))
        }
        return holds
    }

    /// What the rule asks for that the question leaves open.
    func openConditions(of rule: Rule) -> [String] {
        var conditions: [String] = []
        for condition in rule.match {
            let fitting = variants.count { condition.holds(for: $0.event, meaning: $0.meaning) }
            if !isTold(condition.dimension) || 0 < fitting && fitting < variants.count {
                conditions.append(condition.text)
            }
        }
        if rule.trip != nil {
            let weightless = variants.count { $0.meaning.switchWeight == .none }
            if 0 < weightless, weightless < variants.count {
                let weights = SwitchWeight.allCases.filter { $0 != .none }.map(\.rawValue)
                let text = Condition(.switchWeight, .oneOf(weights)).text
                if !conditions.contains(text) { conditions.append(text) }
            }
        }
        return conditions
    }

    /// The values of the group that such a failure would be counted in, in the default environment where none is told;
    /// nil where the question doesn't tell them all, or where the rule doesn't look at that environment.
    func groupValues(of rule: Rule) -> [String]? {
        for condition in rule.match where condition.dimension == .environment {
            guard condition.holds(for: told.event, meaning: told.meaning) else { return nil }
        }
        var values: [String] = []
        for dimension in rule.groupDimensions {
            guard let value = dimension.value(in: told.event, meaning: told.meaning),
                dimension == .environment
                    || isTold(dimension)
                        && variants.allSatisfy({
                            dimension.value(in: $0.event, meaning: $0.meaning) == value
                        })
            else { return nil }
            values.append(value)
        }
        return values
    }

    /// Whether the question, the catalogue and the fact that it is a failure tell the attribute. The stage is told even
    /// where it isn't asked for, since there is a variant for each.
    private func isTold(_ dimension: Dimension) -> Bool {
        switch dimension {
        case .errorDomain, .errorCode, .outcome, .stage, .failureClass, .switchWeight, .money: true
        case .environment: question.environment != nil
        default: false
        }
    }
}

extension Classification {
    /// Whether it means the same, for whatever reason.
    func isLike(_ other: Classification) -> Bool {
        failureClass == other.failureClass && retry == other.retry && switchWeight == other.switchWeight
            && money == other.money
    }
}
