internal import ShuntSchema

/// Everything that is configured: the rules, the switches and the limits.
public struct RuleSet: Equatable, Sendable {
    /// The rules, in the order in which they judge an event.
    public var rules: [Rule]
    /// The switches, in the order in which documents list them.
    public var switches: [SwitchDefinition]
    /// What error codes mean.
    public var catalogue: CatalogueSource
    /// The most that `maximumGroups` may be.
    public static let maximumGroupsLimit = 1_000_000

    /// How many groups a rule keeps at most, from 1 to `maximumGroupsLimit`; the rest are counted together as
    /// `_other`.
    public var maximumGroups: Int

    /// How long attempts are waited for.
    public var payments: PaymentPolicy

    /// A set of rules.
    public init(
        rules: [Rule],
        switches: [SwitchDefinition],
        catalogue: CatalogueSource = CatalogueSource(),
        maximumGroups: Int = 10_000,
        payments: PaymentPolicy = PaymentPolicy()
    ) {
        self.rules = rules
        self.switches = switches
        self.catalogue = catalogue
        self.maximumGroups = maximumGroups
        self.payments = payments
    }

    /// The longest window of all rules, in milliseconds; 0 without rules.
    public var longestWindowMs: Int64 {
        rules.map(\.windowMs).max() ?? 0
    }

    /// The channels that rules name, in order. Which of them exist is a matter of the configuration.
    public var channelNames: [String] {
        Set(rules.flatMap { $0.alert.channels + $0.alert.escalateTo }).sorted()
    }

    /// The switch of that name.
    public func switchDefinition(_ key: String) -> SwitchDefinition? {
        switches.first { $0.key == key }
    }

    /// What Shunt does out of the box: one error key, 100 failing attempts within 5 minutes, payers go to the web.
    ///
    /// Source of the figures: the founding articles.
    public static let builtIn = RuleSet(
        rules: [
            Rule(
                id: "error-code-burst",
                description: "One error code fails again and again",
                groupBy: [.errorDomain, .errorCode],
                count: .attempts,
                threshold: 100,
                windowMs: 5 * 60_000,
                alert: AlertPolicy(
                    severity: .critical,
                    resolveBelow: 50,
                    holdForMs: 10 * 60_000,
                    renotifyEveryMs: 60 * 60_000
                ),
                trip: Trip(switchKey: "apple-pay")
            )
        ],
        switches: [SwitchDefinition(key: "apple-pay", normalVariant: "native", degradedVariant: "web")]
    )
}
