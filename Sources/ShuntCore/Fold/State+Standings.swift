public import ShuntSchema

/// How near a rule is to its threshold in an environment.
public struct RuleStanding: Equatable, Sendable {
    /// The rule.
    public var rule: Rule
    /// How many groups are remembered in the environment; 0 where nothing that is remembered ever matched the rule.
    public var groups = 0
    /// The group that counts most within the window; nil where there is none.
    public var nearest: GroupExplanation?
}

extension State {
    /// How near each rule is to its threshold, in the order of the rules. Changes nothing.
    ///
    /// - Parameters:
    ///   - environment: Where the payers are.
    ///   - at: When the windows are judged, or at the time of the last entry if that is later.
    public func standings(environment: String, at: Timestamp) -> [RuleStanding] {
        let at = max(at, self.at)
        return rules.map { rule in
            var standing = RuleStanding(rule: rule.rule)
            var best: (position: Int, count: Int)?
            for position in rule.groups.indices where rule.groups[position].values.first == environment {
                standing.groups += 1
                let count = rule.groups[position].window.count(at: at)
                // Of equal counts the first by name, so that the order in which groups came decides nothing.
                if let best {
                    guard count >= best.count else { continue }
                    if count == best.count, !rule.isOrdered(position, before: best.position) { continue }
                }
                best = (position, count)
            }
            standing.nearest = best.map { explain(rule, position: $0.position, at: at) }
            return standing
        }
    }
}
