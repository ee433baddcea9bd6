internal import ShuntCore
internal import ShuntSchema

/// What an effect of the fold means for the channels.
struct OutboxItem: Sendable {
    /// Which effect of which entry; a replay makes the same ones.
    struct Place: Comparable, Sendable {
        var seq: UInt64
        var index: Int

        static func < (left: Place, right: Place) -> Bool {
            (left.seq, left.index) < (right.seq, right.index)
        }
    }

    /// Names the journal.
    var epoch: String
    var place: Place
    /// What it is about: of one subject only the newest is told.
    var subject: String
    /// What is told; nil where what waits is only to be dropped.
    var notice: Notice?
    /// The channels that are told, or in which what waits is dropped.
    var channels: [String]
}

/// Makes notices of what the fold wants told.
struct NoticeMaker: Sendable {
    /// The channels, in the order of the configuration.
    var channels: [ChannelSummary]
    var links: LinkTemplates
    var routes: [NoticeRoute] = []

    /// What must be known of a channel to choose it.
    struct ChannelSummary: Sendable {
        var name: String
        var kind: ChannelKind
    }

    /// What an entry's effects mean for the channels, in their order.
    func items(of entry: Entry, effects: [Effect], in state: State) -> [OutboxItem] {
        guard !channels.isEmpty else { return [] }
        var items = effects.compactMap { item(of: $0, in: state) }
        if case .alertCommand = entry.input { items += hushed(by: entry, after: effects.count, in: state) }
        return items
    }

    private func item(of effect: Effect, in state: State) -> OutboxItem? {
        let place = OutboxItem.Place(seq: effect.id.seq, index: effect.id.index)
        let id = "\(state.epoch)-\(effect.id.seq)-\(effect.id.index)"
        switch effect.kind {
        case .alertChanged(let change): return item(of: change, id: id, place: place, in: state)
        case .switchMoved(let transition):
            let told = channels.filter { Self.tells($0.kind, of: transition) }.map(\.name)
            guard !told.isEmpty else { return nil }
            return OutboxItem(
                epoch: state.epoch,
                place: place,
                subject: "switch \(transition.key) \(transition.scope.text)",
                notice: notice(of: transition, id: id),
                channels: told
            )
        }
    }

    // MARK: Alerts

    private func item(of change: AlertChange, id: String, place: OutboxItem.Place, in state: State) -> OutboxItem? {
        // The change before it says all, and must not be dropped for it.
        guard change.untold != .saidAlready, change.untold != .pending else { return nil }
        let rule = state.ruleSet.rules.first { $0.id == change.alert.rule }
        let told = targets(of: change, rule: rule)
        guard !told.isEmpty else { return nil }
        let notice = notice(of: change, rule: rule, id: id, in: state)
        switch change.untold {
        case nil:
            return OutboxItem(
                epoch: state.epoch,
                place: place,
                subject: "alert \(change.alert.id)",
                notice: notice,
                channels: told
            )
        case .onlyWarned:
            // An incident that was opened by the warning must be closed, though nobody need read of it.
            let open = told.filter { name in channels.contains { $0.name == name && $0.kind.keepsIncidents } }
            return OutboxItem(
                epoch: state.epoch,
                place: place,
                subject: "alert \(change.alert.id)",
                notice: notice,
                channels: open
            )
        default:
            return OutboxItem(
                epoch: state.epoch,
                place: place,
                subject: "alert \(change.alert.id)",
                notice: nil,
                channels: told
            )
        }
    }

    /// The channels that an alert goes to: those that its rule names, else those of the first route that fits, else all.
    /// Names that no channel has are none: they mustn't make an alert that nobody hears of.
    private func targets(of change: AlertChange, rule: Rule?) -> [String] {
        let known = channels.map(\.name)
        let named = known.filter(change.channels.contains)
        guard named.isEmpty else { return named }
        // It always fires: only who asks for it hears of it.
        if rule?.kind == .watchdog { return [] }
        guard let route = routes.first(where: { $0.fits(change.alert, at: change.at) }) else {
            return routes.isEmpty ? known : []
        }
        return known.filter(route.channels.contains)
    }

    private func notice(of change: AlertChange, rule: Rule?, id: String, in state: State) -> Notice {
        let alert = change.alert
        let environment = alert.group.first { $0.name == Dimension.environment.rawValue }?.value ?? ""
        var notice = Notice(id: id, happening: Self.happening(change), at: change.at, environment: environment)
        let facts = Notice.AlertFacts(
            id: alert.id,
            rule: alert.rule,
            description: rule?.description ?? alert.rule,
            severity: alert.severity,
            group: alert.group,
            startsAt: alert.startsAt,
            endsAt: alert.endsAt
        )
        notice.alert = facts
        notice.isTest = environment == PaymentEvent.drillEnvironment
        notice.failures = rule.map { Notice.FailureFacts(of: alert, rule: $0) } ?? .init(count: alert.count)
        // Later the window isn't that of what fired any more.
        if change.input == .crossed, notice.failures.payers == nil { notice.failures.payers = state.payers(of: alert) }
        notice.actor = alert.acknowledgement?.actor
        if let rule, let trip = rule.trip { notice.move = move(by: rule, trip, alert: alert, in: state) }
        if notice.happening == .resolved { notice.closing = Notice.ClosingFacts(ending: Self.ending(change)) }
        notice.links = links.links(of: facts, environment: environment, switchKey: rule?.trip?.switchKey)
        return notice
    }

    private func move(by rule: Rule, _ trip: Trip, alert: Alert, in state: State) -> Notice.MoveFacts {
        let definition = state.ruleSet.switchDefinition(trip.switchKey)
        let attributes = alert.group.filter { attribute in
            trip.scope.contains { $0 != .environment && $0.rawValue == attribute.name }
        }
        let environment = alert.group.first?.value ?? ""
        let scope = Scope(environment: environment, attributes: attributes)
        var facts = Notice.MoveFacts(key: trip.switchKey, scope: scope)
        facts.variant = definition?.degradedVariant
        facts.version = alert.decision.version
        facts.decision = alert.decision
        let machine = state.switches.machine(of: trip.switchKey, in: scope)
        guard let machine, machine.phase != .normal else { return facts }
        facts.at = machine.since
        if let definition, let timer = machine.timer, timer.purpose == .coolDown {
            facts.nextStep = .probe(percent: definition.recovery.probePercent)
            facts.nextStepAt = timer.at
        }
        return facts
    }

    private static func happening(_ change: AlertChange) -> Notice.Happening {
        switch change.input {
        case .warned, .pended: .warning
        case .crossed, .unsilenced, .uninhibited:
            change.alert.phase == .pending ? .warning : change.alert.phase == .mitigated ? .mitigated : .firing
        case .reminded, .unacknowledged: .reminder
        case .escalated: .escalated
        case .acknowledged: .acknowledged
        case .switchDegraded: .mitigated
        case .switchRestored: .reminder
        case .subsided, .ruleChanged: .resolved
        }
    }

    private static func ending(_ change: AlertChange) -> Notice.Ending {
        if change.input == .ruleChanged { return .ruleChanged }
        return if case .tripped = change.alert.decision { .probe } else { .subsided }
    }

    /// After a person's command: what waits of alerts that are hidden now isn't told.
    private func hushed(by entry: Entry, after count: Int, in state: State) -> [OutboxItem] {
        state.openAlerts.filter { $0.hiding != nil }.enumerated().map { number, alert in
            OutboxItem(
                epoch: state.epoch,
                place: OutboxItem.Place(seq: entry.seq, index: count + number),
                subject: "alert \(alert.id)",
                notice: nil,
                channels: channels.map(\.name)
            )
        }
    }

    // MARK: Switches

    private func notice(of transition: SwitchTransition, id: String) -> Notice {
        var notice = Notice(
            id: id,
            happening: .switchMoved,
            at: transition.at,
            environment: transition.scope.environment
        )
        notice.isTest = transition.scope.environment == PaymentEvent.drillEnvironment
        notice.move = Notice.MoveFacts(
            key: transition.key,
            scope: transition.scope,
            variant: transition.variant,
            version: transition.version,
            at: transition.at,
            cause: transition.cause,
            reason: transition.reason.kind == "operator" ? transition.reason.summary : nil
        )
        return notice
    }

    /// Machines are told of each move. People are where a person moved payers, or must; of the others their alert tells.
    private static func tells(_ kind: ChannelKind, of transition: SwitchTransition) -> Bool {
        switch kind {
        case .webhook, .pagerduty: return true
        case .alertmanager, .alertmanagerWebhook: return false
        case .slack, .feishu, .dingtalk, .wecom, .email: break
        }
        if transition.to == .locked, transition.from != .locked { return true }
        switch transition.cause {
        case .operatorTrips, .operatorRestores, .overrideSet, .overrideCleared, .overrideExpired, .modeChanged,
            .disarmed, .askPerson:
            return true
        case .ruleTrips, .coolDownEnds, .probeIsGood, .probeIsBad, .probeIsUnknown: return false
        }
    }
}

extension ChannelKind {
    /// Whether it keeps something open for an alert until it is told that it ended.
    var keepsIncidents: Bool {
        switch self {
        case .alertmanager, .alertmanagerWebhook, .pagerduty: true
        case .webhook, .slack, .feishu, .dingtalk, .wecom, .email: false
        }
    }

    /// How often it must hear of an alert that fires so that it doesn't end it by itself, in milliseconds; nil for once.
    var repeatMs: Int64? {
        self == .alertmanager ? AlertmanagerDialect.resendMs : nil
    }

    /// The least time between two notices, in milliseconds, by what the vendor allows: 15 a minute where it is 20.
    var pauseMs: Int64 {
        switch self {
        case .dingtalk, .wecom: 4_000
        case .feishu, .slack: 1_000
        case .webhook, .alertmanager, .alertmanagerWebhook, .pagerduty, .email: 0
        }
    }
}
