public import ShuntSchema

/// Everything that Shunt believes: a pure value that folds journal entries into itself.
///
/// No clock, no I/O, no randomness: the same entries make the same state and the same effects, in any process.
/// Live traffic, restart, rule tests and back-tests are all this one fold.
public struct State: Sendable {
    /// The last entry folded in; 0 before the first.
    public internal(set) var seq: UInt64 = 0
    /// The time of the last entry.
    public internal(set) var at = Timestamp(milliseconds: 0)
    /// When the journal was founded: since then a switch that never moved is normal.
    public internal(set) var foundedAt = Timestamp(milliseconds: 0)
    /// Names the journal whose versions count up.
    public internal(set) var epoch = ""
    /// The rules and switches in force.
    public private(set) var ruleSet = RuleSet(rules: [], switches: [])
    /// What error codes mean: the rule set's catalogue, ready for use. Derived.
    public private(set) var catalogue = CatalogueSource().built()
    /// All switches.
    public internal(set) var switches = SwitchBank()
    /// What the last event meant, for whoever folded it in; no part of the state's identity.
    public private(set) var lastClassification: Classification?
    /// Why the last command moved nothing, for whoever folded it in; nil when it moved something. No part of the state's
    /// identity either.
    public internal(set) var lastRefusal: SwitchHold?
    /// Why the last command about alerts changed nothing, or which alert or silence it changed; no part of the state's
    /// identity.
    public internal(set) var lastAlertAnswer: Result<String, AlertRefusal>?
    /// Why the last person's word on an attempt changed nothing; nil when it did. No part of the state's identity.
    public internal(set) var lastSettleRefusal: SettleRefusal?
    /// The silences in force, and the alerts that have ended.
    public internal(set) var alertBook = AlertBook()
    var rules: [RuleState] = []
    /// The attempts that failures are compared with.
    var traffic = Traffic()
    /// Where the money of each attempt stands.
    var ledger = AttemptLedger()
    /// The rules about what is in doubt, and those that count findings. Derived.
    private(set) var doubtRules: [Int] = []
    private(set) var findingRules: [Int] = []
    /// Which rules an event may concern. Derived.
    private var dispatch = Dispatch()
    /// What rules and tables of attempts tell slices apart by. Derived.
    var groupings = Groupings()
    /// What the rules say of each switch's payers, in the order of the switches. Derived.
    private(set) var watches: [SwitchWatch] = []
    /// Whether any switch has a limit of payers. Derived.
    private(set) var hasLimits = false
    /// Nothing is due before this; nil when nothing will be. It may be too early, never too late, and is cheap to
    /// ask where `nextDeadline` looks at every open alert. Derived, so not part of the state's identity.
    public internal(set) var deadlineFloor: Timestamp?

    /// Whether what hides alerts may have changed since that was last looked at. Derived: false between entries.
    var isHidingStale = false
    /// The alerts that tripped a switch since then. Derived too: none between entries.
    var newSpeakers: [(rule: Int, position: Int)] = []

    /// Nothing believed yet.
    public init() {}

    /// Folds one entry in and says what should be done about it.
    ///
    /// What was due before the entry is handled first, each thing at its own time. The entry's time is taken as no
    /// earlier than the last one's.
    public mutating func apply(_ entry: Entry) -> [Effect] {
        let at = max(entry.at, self.at)
        // Before anything is due: what would have been while the daemon was away isn't.
        if case .started = entry.input {
            resumeSwitches(at: at)
            resumeAlerts(at: at)
            resumeWaits(at: at)
        }
        let due = findDue(until: at)
        if case .tick = entry.input, due.isEmpty { return [] }
        var effects = EffectList(seq: entry.seq)
        perform(due, until: at, effects: &effects)
        seq = entry.seq
        self.at = at
        switch entry.input {
        case .event(let event):
            observe(event, effects: &effects)
        case .founded(let epoch):
            self.epoch = epoch
            foundedAt = at
        case .configured(let ruleSet):
            configure(ruleSet, effects: &effects)
        case .command(let command):
            obey(command, effects: &effects)
        case .alertCommand(let command):
            obey(command, effects: &effects)
        case .settle(let command):
            obey(command, effects: &effects)
        case .started, .tick:
            break
        }
        settleAlertHiding(at: at, effects: &effects)
        return effects.effects
    }

    /// Every alert that hasn't ended, in the order of rules and groups.
    public var openAlerts: [Alert] {
        rules.flatMap { rule in rule.orderedOpen().compactMap { rule.groups[$0].alert } }
    }

    /// How many alerts say that something is wrong: all that fire, but for watchdogs, which always do.
    public var troubleCount: Int {
        rules.lazy.filter { $0.rule.kind != .watchdog }.reduce(0) { $0 + $1.firingCount }
    }

    /// How many groups are counted, over all rules.
    public var groupCount: Int {
        rules.reduce(0) { $0 + $1.groupCount }
    }

    /// How many payers the failures have that an alert's rule counts within its window now; nil where that isn't known:
    /// installs are kept where a rule limits what one of them counts, and not every failure names one.
    public func payers(of alert: Alert) -> Int? {
        guard let rule = rules.first(where: { $0.rule.id == alert.rule }), rule.rule.maximumPerInstall != nil,
            !rule.rule.kind.isOfRates, let position = rule.position(of: alert.group.map(\.value))
        else { return nil }
        let owners = rule.groups[position].window.owners(after: at.advanced(byMs: -rule.rule.windowMs))
        return owners.areComplete && owners.count > 0 ? owners.count : nil
    }

    /// The count of a rule's group within its window at the last entry's time, up to the threshold; for tests and
    /// explanations. `group` holds the environment first, then the values of `groupBy`.
    public func count(rule: String, group: [String]) -> Int {
        rules.first { $0.rule.id == rule }?.count(of: group, at: at) ?? 0
    }
}

// MARK: - Events

extension State {
    /// Notes an event everywhere. One that comes from a simulator or a sandbox is none of production's, whatever its
    /// reporter says.
    private mutating func observe(_ reported: PaymentEvent, effects: inout EffectList) {
        let classification = catalogue.classify(reported)
        lastClassification = classification
        guard let environment = reported.environmentApart(meaning: classification) else {
            observe(reported, meaning: classification, effects: &effects)
            return
        }
        var event = reported
        event.environment = environment
        observe(event, meaning: classification, effects: &effects)
    }

    private mutating func observe(
        _ event: PaymentEvent,
        meaning classification: Classification,
        effects: inout EffectList
    ) {
        hearProbes(event, meaning: classification, effects: &effects)
        sampleTraffic(event, meaning: classification)
        let identities = EventIdentities(of: event, at: at)
        groupings.turn()
        traffic.record(
            event,
            meaning: classification,
            attempt: identities.attempt,
            groupings: &groupings,
            at: at,
            maximumGroups: ruleSet.maximumGroups
        )
        var isOverflow = false
        var found = dispatch.lists(for: event, meaning: classification)
        while let number = found.popFirst() {
            isOverflow =
                count(event, meaning: classification, identities, rule: number, at: at, effects: &effects)
                || isOverflow
        }
        if isOverflow { noteOverflow(at: at, effects: &effects) }
        if event.attemptId != nil || event.orderRef != nil {
            noteMoney(event, meaning: classification, effects: &effects)
        }
    }

    /// Has one rule count an event, and does what follows; says whether the rule's groups were full.
    mutating func count(
        _ event: PaymentEvent,
        meaning classification: Classification,
        _ identities: EventIdentities,
        rule number: Int,
        at: Timestamp,
        effects: inout EffectList
    ) -> Bool {
        let counted = rules[number].count(
            event,
            meaning: classification,
            identities: identities,
            groupings: &groupings,
            at: at,
            maximumGroups: ruleSet.maximumGroups
        )
        lowerFloor(to: counted.floor)
        if let position = counted.warned, rules[number].mayWarn(position, at: at, traffic: traffic) {
            warn(rule: number, position: position, at: at, effects: &effects)
        }
        guard let position = counted.position else { return counted.isOverflow }
        let isCrossed = rules[number].judge(
            position,
            after: event,
            meaning: classification,
            at: at,
            switches: switches,
            traffic: traffic
        )
        lowerFloor(to: rules[number].deadlineFloor(of: position))
        guard isCrossed else { return counted.isOverflow }
        let scope = rules[number].scope(of: event, meaning: classification, in: position)
        cross(rule: number, position: position, scope: scope, at: at, effects: &effects)
        return counted.isOverflow
    }

    /// Tells the rules that watch the limit of groups. Environments are made up too where keys are, so those of all are
    /// counted together.
    mutating func noteOverflow(at: Timestamp, effects: inout EffectList) {
        let environment = PaymentEvent.defaultEnvironment
        for number in rules.indices where rules[number].rule.kind == .keyLimit {
            let crossed = rules[number].countOverflow(environment, at: at, switches: switches, traffic: traffic)
            guard let position = crossed else { continue }
            let scope = Scope(environment: environment)
            cross(rule: number, position: position, scope: scope, at: at, effects: &effects)
        }
    }
}

// MARK: - Configuration

extension State {
    private mutating func configure(_ ruleSet: RuleSet, effects: inout EffectList) {
        for number in rules.indices {
            let survives = ruleSet.rules.contains {
                $0.id == rules[number].rule.id && $0.canTakeOver(from: rules[number].rule)
            }
            if !survives { changeAlerts(rule: number, input: .ruleChanged, where: { _ in true }, effects: &effects) }
        }
        let former = rules
        // The first definitions are what version 1 means.
        let definitions = self.ruleSet.switches
        let isRedefined = !self.ruleSet.switches.isEmpty && self.ruleSet.switches != ruleSet.switches
        if isRedefined { switches.redefine() }
        // What is waited for otherwise is waited for anew: nothing that is due only now was due before.
        if self.ruleSet.payments != ruleSet.payments { ledger.waitsFrom = max(ledger.waitsFrom, at) }
        adopt(ruleSet)
        rules = ruleSet.rules.map { rule in
            guard var kept = former.first(where: { $0.rule.id == rule.id && rule.canTakeOver(from: $0.rule) }) else {
                return RuleState(rule: rule, startedAt: at)
            }
            kept.adopt(rule, at: at)
            return kept
        }
        bindTraffic()
        for number in rules.indices {
            let former = former.first { $0.rule.id == rules[number].rule.id }
            let key = rules[number].rule.trip?.switchKey
            let isBound =
                key != nil && key == former?.rule.trip?.switchKey && key.flatMap(ruleSet.switchDefinition) != nil
            // What mitigated the alert is no longer the rule's to restore: without this it would never end.
            if !isBound {
                changeAlerts(rule: number, input: .switchRestored, where: { _ in true }, effects: &effects)
            }
        }
        if definitions != ruleSet.switches { adoptSwitches(formerly: definitions, effects: &effects) }
        keepWatch(effects: &effects)
        judgeAllDoubts(effects: &effects)
        attendRescheduled(effects: &effects)
        isHidingStale = true
        deadlineFloor = nextDeadline
    }

    /// Puts rules in force with what is derived of them alone. A property's observer wouldn't do: Swift doesn't run one
    /// in an initialiser, so a state that was read from a snapshot would know no codes.
    mutating func adopt(_ ruleSet: RuleSet) {
        self.ruleSet = ruleSet
        catalogue = ruleSet.catalogue.built()
    }

    /// Gives rules the tables and routes that they need, and finds those that an event may concern.
    mutating func bindTraffic() {
        groupings = Groupings()
        var specs: [TrafficSpec] = []
        func table(_ spec: TrafficSpec?) -> Int? {
            guard let spec else { return nil }
            if let known = specs.firstIndex(of: spec) { return known }
            specs.append(spec)
            return specs.count - 1
        }
        for number in rules.indices {
            let rule = rules[number].rule
            let otherRoute = ruleSet.otherRoute(of: rule)
            rules[number].otherRoute = otherRoute
            rules[number].grouping = groupings.number(of: rule.groupDimensions)
            rules[number].attemptsTable = table(rule.attemptsSpec(otherRoute: otherRoute))
            rules[number].fallbackTable = table(rule.fallbackSpec(otherRoute: otherRoute))
        }
        traffic.adopt(specs, &groupings)
        dispatch = Dispatch(rules.map(\.rule.relevantConditions))
        doubtRules = rules.indices.filter { rules[$0].rule.kind.isOfDoubts }
        findingRules = rules.indices.filter { rules[$0].rule.asksForFindings }
        watches = ruleSet.switches.map { SwitchWatch($0, rules: ruleSet.rules) }
        hasLimits = watches.contains(where: \.isLimited)
    }

    /// A watchdog barks from the moment it is there.
    private mutating func keepWatch(effects: inout EffectList) {
        for number in rules.indices where rules[number].rule.kind == .watchdog && rules[number].groupCount == 0 {
            let position = rules[number].insert(rules[number].emptyGroup([PaymentEvent.defaultEnvironment]))
            cross(rule: number, position: position, scope: .defaultEnvironment, at: at, effects: &effects)
        }
    }
}

/// Numbers the effects of one entry.
struct EffectList {
    let seq: UInt64
    private(set) var effects: [Effect] = []

    init(seq: UInt64) {
        self.seq = seq
    }

    /// A name that is unique to the next effect.
    var nextName: String { "\(seq)-\(effects.count)" }

    mutating func append(_ kind: Effect.Kind) {
        effects.append(Effect(id: Effect.ID(seq: seq, index: effects.count), kind: kind))
    }
}
