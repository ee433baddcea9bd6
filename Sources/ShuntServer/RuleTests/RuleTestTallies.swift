internal import ShuntCore
internal import ShuntSchema

/// What each rule said to the events of a test: enough to tell why it did nothing.
struct RuleTestTallies {
    private struct Tally {
        let rule: Rule
        /// The route that the rule's switch moves payers to.
        let otherRoute: String?
        var verdicts: [CountVerdict: Int] = [:]
        /// The groups that something was counted in, in the order in which they came.
        var groups: [[String]] = []
        var known: Set<[String]> = []
    }

    /// More groups are not told apart; the state counts them all.
    private static let mostGroups = 1000

    private var tallies: [Tally]

    init(_ ruleSet: RuleSet) {
        tallies = ruleSet.rules.map { Tally(rule: $0, otherRoute: ruleSet.otherRoute(of: $0)) }
    }

    mutating func note(_ event: PaymentEvent, meaning classification: Classification?, at: Timestamp) {
        guard let classification else { return }
        for number in tallies.indices {
            let rule = tallies[number].rule
            let verdict = rule.verdict(
                on: event,
                meaning: classification,
                at: at,
                otherRoute: tallies[number].otherRoute
            )
            tallies[number].verdicts[verdict, default: 0] += 1
            guard verdict == .counted, tallies[number].groups.count < Self.mostGroups else { continue }
            let group = rule.groupDimensions.map { $0.value(in: event, meaning: classification) ?? "" }
            if tallies[number].known.insert(group).inserted { tallies[number].groups.append(group) }
        }
    }

    /// How far each rule is in a state: the fullest group, the decision of each open alert, what wasn't counted.
    func progress(of subjects: Set<String>, in state: State) -> [RuleTestProgress] {
        tallies.filter { subjects.contains($0.rule.id) }.map { tally in
            let rule = tally.rule
            var lines = [Self.fullest(of: tally, in: state)]
            for alert in state.openAlerts where alert.rule == rule.id {
                let subject = alert.group.dropFirst().map(\.value).joined(separator: "/")
                lines.append("\(subject.isEmpty ? rule.id : subject): \(Self.text(alert.decision, of: rule))")
            }
            let left = CountVerdict.allCases.filter { $0 != .counted }.compactMap { verdict in
                tally.verdicts[verdict].map { "\($0) \(Self.text(verdict))" }
            }
            if !left.isEmpty { lines.append("not counted: \(left.joined(separator: ", "))") }
            return RuleTestProgress(rule: rule.id, lines: lines)
        }
    }

    private static func fullest(of tally: Tally, in state: State) -> String {
        let rule = tally.rule
        let counts = tally.groups.map { (group: $0, count: state.count(rule: rule.id, group: $0)) }
        guard let most = counts.max(by: { $0.count < $1.count }) else { return "nothing counted" }
        let at = RuleTestTime.text(state.at.milliseconds - RuleTestRun.start.milliseconds)
        let subject = most.group.joined(separator: "/")
        return "\(most.count) of \(rule.threshold) \(rule.count.rawValue) of \(subject) in the window at \(at)"
    }

    private static func text(_ decision: TripDecision, of rule: Rule) -> String {
        let key = rule.trip?.switchKey ?? ""
        return switch decision {
        case .tripped(let version): "tripped \(key), version \(version)"
        case .wouldHaveTripped(let version): "would have tripped \(key), version \(version), which is in dryRun"
        case .overridden(let version): "tripped \(key), version \(version), beneath an override"
        case .noSwitch: "the rule trips no switch"
        case .held(.tooFewInstalls): "\(key) held, fewer than \(rule.require.installs ?? 0) installs (tooFewInstalls)"
        case .held(let hold): "\(key) held (\(hold.rawValue))"
        }
    }

    private static func text(_ verdict: CountVerdict) -> String {
        switch verdict {
        case .counted: "counted"
        case .notAFailure: "no failures"
        case .otherRoute: "on the other route already"
        case .late: "late"
        case .unmatched: "not matched"
        case .noGroup: "without a value to group by"
        case .noInstall: "without an install"
        case .weightless: "that never count towards a trip"
        }
    }
}
