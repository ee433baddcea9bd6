public import ShuntSchema

extension State {
    /// How many namespaces one explanation holds at most.
    public static let maximumExplainedDomains = 20
    /// How many groups of one rule it holds at most.
    public static let maximumExplainedGroups = 20

    /// What failures with a code mean, where each rule stands with them, and what holds it back.
    ///
    /// Changes nothing. Windows are judged at the given time, or at that of the last entry if that is later.
    public func explain(_ question: FailureQuestion, at: Timestamp) -> CodeExplanation {
        let at = max(at, self.at)
        let found = rules.map { GroupFilter(question, rule: $0.rule).positions(in: $0) }
        let counted = countedDomains(question, in: found)
        var domains = question.domain.map { [$0] } ?? counted.union(knownDomains(of: question.code)).sorted()
        if domains.isEmpty { domains = [ErrorReport(code: question.code).domain] }
        return CodeExplanation(
            question: question,
            at: at,
            domains: domains.prefix(Self.maximumExplainedDomains).map { domain in
                var question = question
                question.domain = domain
                return explain(question, domain: domain, isCounted: counted.contains(domain), among: found, at: at)
            },
            omittedDomains: max(0, domains.count - Self.maximumExplainedDomains)
        )
    }

    /// The namespaces under which a rule has counted the code.
    private func countedDomains(_ question: FailureQuestion, in found: [[Int]]) -> Set<String> {
        var domains: Set<String> = []
        for (rule, positions) in zip(rules, found) {
            let dimensions = rule.rule.groupDimensions
            guard dimensions.contains(.errorCode), let place = dimensions.firstIndex(of: .errorDomain) else { continue }
            for position in positions { domains.insert(rule.groups[position].values[place]) }
        }
        domains.remove(RuleState.overflowValue)
        return domains
    }

    /// The namespaces in which the catalogue knows the code.
    private func knownDomains(of code: String) -> Set<String> {
        var domains: Set<String> = []
        for system in ruleSet.catalogue.systems {
            domains.formUnion(system.domains)
            guard let mark = system.splitAt else { continue }
            // A code `D:C` is known as C in D too.
            for row in system.rows {
                guard let place = row.code.firstIndex(of: mark), row.code[place...].dropFirst() == code else {
                    continue
                }
                domains.insert(String(row.code[..<place]))
            }
        }
        return domains.filter { catalogue.match(domain: $0, code: code) != nil }
    }

    private func explain(
        _ question: FailureQuestion,
        domain: String,
        isCounted: Bool,
        among found: [[Int]],
        at: Timestamp
    ) -> DomainExplanation {
        let subject = ExplainedFailure(question, domain: domain, catalogue: catalogue)
        let others = subject.variants.filter { !$0.meaning.isLike(subject.told.meaning) }
        return DomainExplanation(
            domain: domain,
            isCounted: isCounted,
            meaning: subject.told.meaning,
            explanation: catalogue.explain(
                subject.told.meaning,
                of: ErrorReport(domain: domain, code: question.code)
            ),
            otherStages: others.map { StageMeaning(stage: $0.event.stage, meaning: $0.meaning) },
            // Neither a watchdog nor the limit of groups is about certain failures.
            rules: zip(rules, found).filter {
                $0.0.rule.kind != .watchdog && $0.0.rule.kind != .keyLimit && !$0.0.rule.kind.isOfDoubts
            }.map {
                rule,
                positions in
                let filter = GroupFilter(question, rule: rule.rule)
                return explain(
                    rule,
                    subject: subject,
                    positions: positions.filter { filter.fits(rule.groups[$0].values) },
                    at: at
                )
            }
        )
    }

    private func explain(
        _ rule: RuleState,
        subject: ExplainedFailure,
        positions: [Int],
        at: Timestamp
    ) -> RuleExplanation {
        var result = RuleExplanation(
            rule: rule.rule,
            match: .yes,
            holds: subject.holds(of: rule.rule),
            depends: subject.openConditions(of: rule.rule),
            groups: [],
            omittedGroups: 0
        )
        result.match = !result.holds.isEmpty ? .no : !result.depends.isEmpty ? .depends : .yes
        // A rule that doesn't look at them has groups of other errors, unless a group is this very code's: a message or
        // an inner error may have told more than the question does.
        guard result.match != .no || rule.rule.groupDimensions.contains(.errorCode) else { return result }
        let own = positions.filter { rule.groups[$0].values.last != RuleState.overflowValue }
        let shown = own.isEmpty ? positions : own
        if !shown.isEmpty {
            let counts = shown.map { (position: $0, count: rule.groups[$0].window.count(at: at)) }.sorted {
                $0.count != $1.count ? $0.count > $1.count : rule.isOrdered($0.position, before: $1.position)
            }
            result.groups = counts.prefix(Self.maximumExplainedGroups).map {
                explain(rule, position: $0.position, at: at)
            }
            result.omittedGroups = max(0, counts.count - Self.maximumExplainedGroups)
        } else if result.match != .no {
            // Nothing was counted yet: the group that the first failure would make, where the question tells it.
            if let values = subject.groupValues(of: rule.rule) {
                var rule = RuleState(rule: rule.rule, startedAt: at)
                let position = rule.insert(rule.emptyGroup(values))
                result.groups = [explain(rule, position: position, at: at)]
            } else {
                result.holds.append(.belowThreshold(count: 0))
            }
        }
        return result
    }

    /// Where a group of a rule stands.
    func explain(_ rule: RuleState, position: Int, at: Timestamp) -> GroupExplanation {
        let group = rule.groups[position]
        let dimensions = rule.rule.groupDimensions
        let reading = rule.reading(of: position, at: at, traffic: traffic)
        let isOfRates = rule.rule.kind.isOfRates
        let installs = group.installs.map { min($0.count(at: at), rule.rule.require.installs ?? .max) }
        let count = isOfRates ? reading.count : min(reading.count, rule.rule.threshold)
        let isOverflow = group.values.last == RuleState.overflowValue
        var holds: [RuleHold] = []
        if isOfRates {
            if let hold = reading.hold { holds.append(.rate(hold, reading)) }
        } else if count < rule.rule.threshold {
            holds.append(.belowThreshold(count: count))
        }
        if rule.rule.kind == .consecutive, !rule.isReporting(position, at: at, traffic: traffic) {
            holds.append(.rate(.noDenominator, reading))
        }
        if group.hasFired, group.alert == nil { holds.append(.knownCode) }
        let scope = rule.rule.trip == nil ? nil : rule.scope(of: position)
        switch rule.missingRequirement(in: position, scope: scope, at: at, traffic: traffic) {
        case nil: break
        case .tooFewInstalls: holds.append(.tooFewInstalls(installs: installs ?? 0))
        case let hold?: holds.append(.switchStays(hold))
        }
        if let hold = switchHold(rule.rule, group: group, at: at) { holds.append(.switchStays(hold)) }
        return GroupExplanation(
            group: zip(dimensions, group.values).map { ScopeAttribute(name: $0.rawValue, value: $1) },
            count: count,
            missing: max(0, rule.rule.threshold - count),
            installs: installs,
            isShared: isOverflow || !dimensions.contains(.errorCode) || !dimensions.contains(.errorDomain),
            alert: group.alert,
            holds: holds
        )
    }

    /// Why the rule's switch would stay as it is if the group tripped it now: asks a copy of the bank, so that the
    /// answer is the one that a trip would get. Nil where it would move, or where the group doesn't tell the scope.
    private func switchHold(_ rule: Rule, group: RuleGroup, at: Timestamp) -> SwitchHold? {
        guard let trip = rule.trip else { return nil }
        guard let definition = ruleSet.switchDefinition(trip.switchKey) else { return .unknownSwitch }
        var attributes: [ScopeAttribute] = []
        for dimension in trip.scope where dimension != .environment {
            guard let place = rule.groupDimensions.firstIndex(of: dimension) else { return nil }
            attributes.append(ScopeAttribute(name: dimension.rawValue, value: group.values[place]))
        }
        let scope = Scope(environment: group.values.first ?? "", attributes: attributes)
        var copy = switches
        let reason = SwitchReason(kind: "rule", rule: rule.id, summary: "")
        guard case .failure(let refusal) = copy.apply(.ruleTrips, to: definition, scope: scope, at: at, reason: reason)
        else { return nil }
        return refusal.hold
    }
}

/// Which groups of a rule failures like those asked for may be counted in.
private struct GroupFilter {
    private var wanted: [(place: Int, value: String)] = []

    init(_ question: FailureQuestion, rule: Rule) {
        for (place, dimension) in rule.groupDimensions.enumerated() {
            let value: String? =
                switch dimension {
                case .environment: question.environment
                case .errorDomain: question.domain
                case .errorCode: question.code
                case .stage: question.stage?.rawValue
                default: nil
                }
            // The code differs most, so it is looked at first.
            if let value { wanted.insert((place, value), at: dimension == .errorCode ? 0 : wanted.count) }
        }
    }

    func fits(_ values: [String]) -> Bool {
        wanted.allSatisfy { place, value in
            if values[place] == value { return true }
            // What happens in the default environment is never counted among the overflow of environments.
            return values[place] == RuleState.overflowValue && !(place == 0 && value == PaymentEvent.defaultEnvironment)
        }
    }

    /// The places of the groups that fit, in no order.
    ///
    /// A question that tells every value is looked up; any other one costs a look at every group, some 50 ns each.
    func positions(in rule: RuleState) -> [Int] {
        guard wanted.count == rule.rule.groupDimensions.count else {
            return rule.groups.indices.filter { !rule.groups[$0].values.isEmpty && fits(rule.groups[$0].values) }
        }
        let values = wanted.sorted { $0.place < $1.place }.map(\.value)
        let overflow = values.map { _ in RuleState.overflowValue }
        let ownOverflow = Array(values.prefix(1) + overflow.dropFirst())
        var positions: [Int] = []
        for key in [values, ownOverflow, overflow] where fits(key) {
            guard let position = rule.position(of: key), !positions.contains(position) else { continue }
            positions.append(position)
        }
        return positions
    }
}
