import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// What holds of alerts whatever people and payments do, over hours, with restarts and reloads.
@Suite struct AlertWalkTests {
    private static let seeds: [UInt64] = [1, 2, 3, 5, 8, 13]

    @Test(arguments: seeds)
    func `walks reach what they are meant to test`(seed: UInt64) {
        let changes = AlertWalk(seed: seed, count: 1500).effects.alertChanges
        for input in AlertInput.allCases {
            #expect(changes.contains { $0.input == input }, "no alert was ever \(input)")
        }
        let reasons = Set(changes.compactMap { $0.untold?.name })
        #expect(
            reasons.isSuperset(of: [
                "pending", "silenced", "inhibited", "acknowledged", "neverTold", "onlyWarned", "saidAlready",
            ])
        )
    }

    @Test(arguments: seeds)
    func `whoever is told that an alert fires is told that it ended, once, and nobody else is`(seed: UInt64) {
        var told: Set<String> = []
        var firing: Set<String> = []
        var ended: Set<String> = []
        for change in AlertWalk(seed: seed, count: 1500).effects.alertChanges {
            let id = change.alert.id
            #expect(!ended.contains(id), "\(id) lives on after its end: \(change.input)")
            if change.alert.phase.isFiring { firing.insert(id) }
            guard change.alert.phase == .inactive else {
                if change.untold == nil { told.insert(id) }
                #expect(change.alert.isTold == told.contains(id), "\(id) after \(change.input)")
                continue
            }
            ended.insert(id)
            #expect((change.untold == nil) == (told.contains(id) && firing.contains(id)), "\(id): \(change.input)")
        }
        #expect(ended.count > 20 && told.count > 20)
    }

    @Test(arguments: seeds)
    func `an alert that fires, isn't hidden and isn't looked after never goes quiet`(seed: UInt64) {
        var walk = AlertWalk(seed: seed)
        var heardAt: [String: Timestamp] = [:]
        var graceEnds = Timestamp(milliseconds: .min)
        for _ in 0..<1500 {
            let (input, effects) = walk.step()
            for change in effects.alertChanges where change.untold == nil { heardAt[change.alert.id] = change.at }
            if case .started = input { graceEnds = walk.state.at.advanced(byMs: SwitchBank.graceMs) }
            guard walk.state.at > graceEnds else { continue }
            for alert in walk.state.openAlerts where alert.phase.isFiring {
                guard let rule = walk.state.ruleSet.rules.first(where: { $0.id == alert.rule }),
                    let everyMs = rule.alert.renotifyEveryMs
                else { continue }
                guard alert.hiding == nil, alert.acknowledgement == nil else { continue }
                let heard = heardAt[alert.id] ?? Timestamp(milliseconds: .min)
                #expect(heard.advanced(byMs: everyMs) >= walk.state.at, "\(alert.id) is quiet")
                #expect(heard >= alert.startsAt, "\(alert.id) fired and nobody was told")
            }
        }
    }

    @Test(arguments: seeds)
    func `what hides an alert is there, and an acknowledgement has an end`(seed: UInt64) {
        var walk = AlertWalk(seed: seed)
        for _ in 0..<1000 {
            _ = walk.step()
            let state = walk.state
            for alert in state.openAlerts {
                if let until = alert.acknowledgement?.until { #expect(until > state.at) }
                switch alert.hiding {
                case .silenced(let id)?:
                    #expect(state.alertBook.silences.contains { $0.id == id && $0.covers(alert) })
                case .inhibited(let id)?:
                    let speaker = state.alert(id)
                    #expect(speaker?.phase.isFiring == true && speaker?.hiding == nil && speaker?.isTold == true)
                    #expect((speaker?.severity ?? .info) >= alert.severity)
                case nil:
                    #expect(!state.alertBook.silences.contains { $0.covers(alert) } || alert.phase == .pending)
                }
            }
            for silence in state.alertBook.silences {
                #expect(silence.endsAt > state.at)
                #expect(silence.endsAt <= silence.startsAt.advanced(byMs: Silence.maximumMs))
            }
        }
    }

    @Test(arguments: seeds)
    func `a snapshot at any entry changes nothing`(seed: UInt64) throws {
        let walk = AlertWalk(seed: seed, count: 600)
        var random = SeededGenerator(seed: seed)
        var fold = Fold([])
        for entry in walk.entries {
            if random.oneIn(20) {
                let restored = try State(decoding: fold.state.encoded())
                try #require(restored == fold.state, "before entry \(entry.seq)")
                fold.state = restored
            }
            fold.effects += fold.state.apply(entry)
        }
        #expect(fold.effects == walk.effects)
        #expect(fold.state == walk.state)
    }

    @Test(arguments: seeds)
    func `an early tick changes nothing, and no deadline is later than it is said to be`(seed: UInt64) throws {
        var state = State()
        for entry in AlertWalk(seed: seed, count: 600).entries {
            _ = state.apply(entry)
            guard let deadline = state.nextDeadline else { continue }
            let floor = try #require(state.deadlineFloor)
            try #require(floor <= deadline, "after entry \(entry.seq)")
            guard entry.seq % 8 == 0, deadline.advanced(byMs: -1) >= state.at else { continue }
            var ticked = state
            let at = deadline.advanced(byMs: -1)
            try #require(ticked.apply(Entry(seq: entry.seq + 1, at: at, input: .tick)).isEmpty)
            try #require(ticked == state, "after entry \(entry.seq)")
        }
    }
}

/// Hours of payments and of people on call, who know the alerts that they speak of.
struct AlertWalk {
    private(set) var state = State()
    private(set) var entries: [Entry] = []
    private(set) var effects: [Effect] = []
    private var random: SeededGenerator
    private var nowMs: Int64 = 1_800_000_000_000
    private var seq: UInt64 = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    init(seed: UInt64, count: Int) {
        self.init(seed: seed)
        for _ in 0..<count { _ = step() }
    }

    /// The next entry, and what it made.
    mutating func step() -> (input: Input, effects: [Effect]) {
        seq += 1
        if seq > 2 { nowMs += random.oneIn(20) ? Int64(random.below(3_600_000)) : Int64(random.below(20_000)) }
        let input: Input =
            switch seq {
            case 1: .founded(epoch: "walk")
            case 2: .configured(Self.ruleSets[0])
            default: self.input()
            }
        var new: [Effect] = []
        // A daemon that runs is on time; before a start none ran.
        while input.kind != .started, let due = state.nextDeadline, due.milliseconds < nowMs {
            new += apply(.tick, at: max(due, state.at))
            seq += 1
        }
        new += apply(input, at: Timestamp(milliseconds: nowMs))
        return (input, new)
    }

    private mutating func apply(_ input: Input, at: Timestamp) -> [Effect] {
        let entry = Entry(seq: seq, at: at, input: input)
        entries.append(entry)
        let new = state.apply(entry)
        effects += new
        return new
    }

    private mutating func input() -> Input {
        switch random.below(100) {
        case 0: return .configured(random.pick(Self.ruleSets))
        case 1...2: return .started
        case 3...7: return .tick
        case 8...12: return .alertCommand(AlertCommand(action: action(), actor: "mei"))
        case 13...15:
            let scope = Scope(environment: "production")
            return .command(
                SwitchCommand(action: .restore, key: "apple-pay", scope: scope, actor: "mei", reason: "test")
            )
        default:
            var event = PaymentEvent.failure("\(random.below(1 + random.below(4)))")
            event.attemptId = "\(seq)"
            event.region = random.pick(["CN", "US"])
            return .event(event)
        }
    }

    private mutating func action() -> AlertCommand.Action {
        let open = state.openAlerts
        let minuteMs: Int64 = 60_000
        if random.oneIn(4), let silence = state.alertBook.silences.first { return .expire(silence: silence.id) }
        guard !open.isEmpty, random.oneIn(2) else {
            let matcher = random.pick([
                AlertMatcher(name: "rule", value: "burst"), AlertMatcher(name: "error.code", value: "1"),
                AlertMatcher(name: "severity", value: "warning"),
            ])
            let request = SilenceRequest(
                matchers: [matcher],
                end: .after(ms: Int64(1 + random.below(90)) * minuteMs),
                isUntilResolved: random.oneIn(3),
                comment: "test"
            )
            return .silence(request)
        }
        let alert = random.pick(open)
        return .acknowledge(alert: alert.id, note: "mine", forMs: Int64(1 + random.below(90)) * minuteMs)
    }

    private static func rule(_ id: String, _ severity: Severity, _ change: (inout Rule) -> Void) -> Rule {
        var rule = Rule(
            id: id,
            description: id,
            groupBy: [.errorDomain, .errorCode],
            count: .attempts,
            threshold: 6,
            windowMs: 10 * 60_000,
            alert: AlertPolicy(
                severity: severity,
                resolveBelow: 3,
                holdForMs: 5 * 60_000,
                renotifyEveryMs: 30 * 60_000
            )
        )
        change(&rule)
        return rule
    }

    private static let rules = [
        rule("burst", .critical) {
            $0.alert.warnAtPercent = 50
            $0.alert.channels = ["oncall"]
            $0.alert.escalateAfterMs = 15 * 60_000
            $0.alert.escalateTo = ["lead"]
            $0.trip = Trip(switchKey: "apple-pay")
        },
        rule("code", .warning) { $0.threshold = 4 },
        rule("region", .critical) {
            $0.groupBy = [.region]
            $0.threshold = 12
            $0.alert.forMs = 3 * 60_000
            $0.alert.warnAtPercent = 60
        },
        rule("change", .warning) {
            $0.kind = .change(percent: 50)
            $0.groupBy = []
            // It is looked at every two minutes.
            $0.windowMs = 120 * 60_000
            $0.alert.forMs = 60_000
        },
    ]

    private static let ruleSets: [RuleSet] = {
        var shorter = rules
        shorter[0].alert.holdForMs = 60_000
        shorter[0].alert.escalateAfterMs = 60_000
        shorter[2].alert.forMs = 0
        var other = rules
        other[1].threshold = 3
        other[0].trip = nil
        return [rules, rules, shorter, other].map { RuleSet(rules: $0, switches: RuleSet.builtIn.switches) }
    }()
}
