public import ShuntSchema

extension Rule {
    /// Stands in a group's key for all groups beyond the limit, where the environment's own name doesn't.
    public static var overflowValue: String { RuleState.overflowValue }

    /// Whether an event tells of a payment that the rule might have counted, had it failed: what conditions say of
    /// errors is left aside.
    ///
    /// - Parameter otherRoute: the variant of the rule's switch that payers are moved to.
    public func concernsPayer(
        of event: PaymentEvent,
        meaning classification: Classification,
        at: Timestamp,
        otherRoute: String?
    ) -> Bool {
        if trip != nil, let otherRoute, event.route == otherRoute { return false }
        for condition in match where condition.dimension.isOfPayers {
            guard condition.holds(for: event, meaning: classification) else { return false }
        }
        return !Self.isLate(event, at: at, windowMs: windowMs)
    }
}

extension RuleSet {
    /// The route that a rule moves payers to; nil for a rule that moves none.
    public func otherRoute(of rule: Rule) -> String? {
        rule.trip.flatMap { switchDefinition($0.switchKey) }?.degradedVariant
    }
}

extension PaymentEvent {
    /// What a distinct count tells events apart by, received at that time; nil when this one equals no other.
    public func identity(among counting: Counting, at: Timestamp) -> UInt64? {
        countingKey(for: counting, at: at)
    }
}
