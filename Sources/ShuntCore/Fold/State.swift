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
    public internal(set) var ruleSet = RuleSet(rules: [], switches: []) {
        didSet { catalogue = ruleSet.catalogue.built() }
    }
    /// What error codes mean: the rule set's catalogue, ready for use.
    public private(set) var catalogue = CatalogueSource().built()
    /// All switches.
    public internal(set) var switches = SwitchBank()
    /// What the last event meant, for whoever folded it in; no part of the state's identity.
    public private(set) var lastClassification: Classification?
    /// Why the last command moved nothing, for whoever folded it in; nil when it moved something. No part of the state's
    /// identity either.
    public internal(set) var lastRefusal: SwitchHold?
    var rules: [RuleState] = []
    /// The attempts that failures are compared with.
    var traffic = Traffic()
    /// Which rules an event may concern. Derived.
    private var dispatch = Dispatch()
    /// What the rules say of each switch's payers, in the order of the switches. Derived.
    private(set) var watches: [SwitchWatch] = []
    /// Whether any switch has a limit of payers. Derived.
    private(set) var hasLimits = false
    /// Nothing is due before this; nil when nothing will be. It may be too early, never too late, and is cheap to
    /// ask where `nextDeadline` looks at every open alert. Derived, so not part of the state's identity.
    public internal(set) var deadlineFloor: Timestamp?

    /// Nothing believed yet.
    public init() {}

    /// Folds one entry in and says what should be done about it.
    ///
    /// What was due before the entry is handled first, each thing at its own time. The entry's time is taken as no
    /// earlier than the last one's.
    public mutating func apply(_ entry: Entry) -> [Effect] {
        let at = max(entry.at, self.at)
        // Before anything is due: what would have been while the daemon was away isn't.
        if case .started = entry.input { resumeSwitches(at: at) }
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
        case .started, .tick:
            break
        }
        return effects.effects
    }

    /// Every alert that hasn't ended, in the order of rules and groups.
    public var openAlerts: [Alert] {
        rules.flatMap { rule in rule.orderedOpen().compactMap { rule.groups[$0].alert } }
    }

    /// How many alerts say that something is wrong: all that haven't ended, but for watchdogs, which always fire.
    public var troubleCount: Int {
        rules.lazy.filter { $0.rule.kind != .watchdog }.reduce(0) { $0 + $1.openCount }
    }

    /// How many groups are counted, over all rules.
    public var groupCount: Int {
        rules.reduce(0) { $0 + $1.groupCount }
    }

    /// The count of a rule's group within its window at the last entry's time, up to the threshold; for tests and
    /// explanations. `group` holds the environment first, then the values of `groupBy`.
    public func count(rule: String, group: [String]) -> Int {
        rules.first { $0.rule.id == rule }?.count(of: group, at: at) ?? 0
    }
}

// MARK: - Events

extension State {
    private mutating func observe(_ event: PaymentEvent, effects: inout EffectList) {
        let classification = catalogue.classify(event)
        lastClassification = classification
        hearProbes(event, meaning: classification, effects: &effects)
        sampleTraffic(event, meaning: classification)
        traffic.record(event, meaning: classification, at: at, maximumGroups: ruleSet.maximumGroups)
        var isOverflow = false
        dispatch.forEach(event, meaning: classification) { number in
            let counted = rules[number].count(
                event,
                meaning: classification,
                at: at,
                maximumGroups: ruleSet.maximumGroups,
                switches: switches,
                traffic: traffic
            )
            lowerFloor(to: counted.floor)
            isOverflow = isOverflow || counted.isOverflow
            guard let position = counted.crossed else { return }
            let scope = rules[number].scope(of: event, meaning: classification, in: position)
            cross(rule: number, position: position, scope: scope, at: at, effects: &effects)
        }
        if isOverflow { noteOverflow(effects: &effects) }
    }

    /// Tells the rules that watch the limit of groups. Environments are made up too where keys are, so those of all are
    /// counted together.
    private mutating func noteOverflow(effects: inout EffectList) {
        let environment = PaymentEvent.defaultEnvironment
        for number in rules.indices where rules[number].rule.kind == .keyLimit {
            let crossed = rules[number].countOverflow(environment, at: at, switches: switches, traffic: traffic)
            guard let position = crossed else { continue }
            let scope = Scope(environment: environment)
            cross(rule: number, position: position, scope: scope, at: at, effects: &effects)
        }
    }

    /// The rule's condition holds: fires the alert if it isn't firing, and trips the switch if that isn't degraded.
    mutating func cross(rule number: Int, position: Int, scope: Scope, at: Timestamp, effects: inout EffectList) {
        let before = rules[number].groups[position].alert
        var alert = before ?? newAlert(rule: number, position: position, id: effects.nextName, at: at)
        alert.phase = alert.phase.step(.crossed)
        let isDegraded = decideTrip(
            rule: number,
            position: position,
            alert: &alert,
            scope: scope,
            at: at,
            effects: &effects
        )
        if before == nil {
            effects.append(.alertChanged(AlertChange(input: .crossed, alert: alert)))
        }
        if isDegraded, alert.phase != alert.phase.step(.switchDegraded) {
            alert.phase = alert.phase.step(.switchDegraded)
            effects.append(.alertChanged(AlertChange(input: .switchDegraded, alert: alert)))
        }
        guard alert != before else { return }
        rules[number].setAlert(alert, of: position, at: at)
        rules[number].noteFired(position)
        lowerFloor(to: rules[number].deadlineFloor(of: position))
    }

    private func newAlert(rule number: Int, position: Int, id: String, at: Timestamp) -> Alert {
        let rule = rules[number].rule
        let group = rules[number].groups[position]
        let reading = rules[number].reading(of: position, at: at, traffic: traffic)
        return Alert(
            id: id,
            rule: rule.id,
            severity: rule.alert.severity,
            group: zip(rule.groupDimensions, group.values).map { ScopeAttribute(name: $0.rawValue, value: $1) },
            phase: .inactive,
            startsAt: at,
            endsAt: nil,
            quietFrom: at,
            count: reading.count,
            attempts: reading.attempts,
            before: reading.before,
            decision: .noSwitch
        )
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
        self.ruleSet = ruleSet
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
        deadlineFloor = nextDeadline
    }

    /// Gives rules the tables and routes that they need, and finds those that an event may concern.
    mutating func bindTraffic() {
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
            rules[number].attemptsTable = table(rule.attemptsSpec(otherRoute: otherRoute))
            rules[number].fallbackTable = table(rule.fallbackSpec(otherRoute: otherRoute))
        }
        traffic.adopt(specs)
        dispatch = Dispatch(rules.map(\.rule.relevantConditions))
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

    /// Gives an input to the open alerts of a rule, in the order of their groups.
    mutating func changeAlerts(
        rule number: Int,
        input: AlertInput,
        where isMeant: (RuleGroup) -> Bool,
        effects: inout EffectList
    ) {
        for position in rules[number].orderedOpen(where: isMeant) {
            change(rule: number, position: position, input: input, at: at, effects: &effects)
        }
    }

    mutating func change(
        rule number: Int,
        position: Int,
        input: AlertInput,
        at: Timestamp,
        effects: inout EffectList
    ) {
        guard var alert = rules[number].groups[position].alert else { return }
        let next = alert.phase.step(input)
        guard next != alert.phase else { return }
        if alert.phase == .mitigated, next == .firing { alert.quietFrom = at }
        alert.phase = next
        if next == .inactive { alert.endsAt = at }
        effects.append(.alertChanged(AlertChange(input: input, alert: alert)))
        rules[number].setAlert(next == .inactive ? nil : alert, of: position, at: at)
        lowerFloor(to: rules[number].deadlineFloor(of: position))
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
