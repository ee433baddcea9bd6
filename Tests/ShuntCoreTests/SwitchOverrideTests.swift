import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// What people lay over a switch, and what it may do without them.
@Suite struct SwitchOverrideTests {
    private static let china = Scope(
        environment: "production",
        attributes: [ScopeAttribute(name: "region", value: "CN")]
    )
    private static let hourMs: Int64 = 3_600_000

    @Test func `an override decides for everybody until it ends by itself`() {
        var scenario = RecoveryScenario(trips: false)
        let set = scenario.command(.override(variant: "web", forMs: Self.hourMs))
        #expect(set.moves.map(\.cause) == [.overrideSet])
        #expect(set.moves.map(\.version) == [2])
        #expect(scenario.status?.variant == "web")
        #expect(scenario.status?.state == .normal)
        #expect(scenario.status?.override?.summary == "test")
        #expect(scenario.status?.decision(for: [:]).decidedBy == "override: environment")
        #expect(scenario.wait(Self.hourMs - 1).isEmpty)
        let end = scenario.wait(1)
        #expect(end.moves.map(\.cause) == [.overrideExpired])
        #expect(end.moves.map(\.version) == [3])
        #expect(scenario.status?.variant == "native")
        #expect(scenario.status?.override == nil)
    }

    @Test(arguments: [0, 1, -5, .max, 25 * 3_600_000] as [Int64])
    func `it always ends, within a day`(forMs: Int64) {
        var scenario = RecoveryScenario(trips: false)
        scenario.command(.override(variant: "web", forMs: forMs))
        scenario.wait(24 * Self.hourMs)
        #expect(scenario.status?.variant == "native")
    }

    @Test func `a person takes it back at any time, and only what is there`() {
        var scenario = RecoveryScenario(trips: false)
        #expect(scenario.command(.clear).isEmpty)
        #expect(scenario.story.state.lastRefusal == .notOverridden)
        scenario.command(.override(variant: "web", forMs: Self.hourMs))
        #expect(scenario.command(.clear, Self.china).isEmpty)
        #expect(scenario.command(.clear).moves.map(\.cause) == [.overrideCleared])
        #expect(scenario.status?.variant == "native")
        #expect(scenario.story.state.nextDeadline == nil)
    }

    @Test func `a variant that the switch doesn't have is refused`() {
        var scenario = RecoveryScenario(trips: false)
        #expect(scenario.command(.override(variant: "wbe", forMs: Self.hourMs)).isEmpty)
        #expect(scenario.story.state.lastRefusal == .unknownVariant)
    }

    @Test func `the machine runs on beneath an override, and a person sees what it would do`() {
        var scenario = RecoveryScenario(trips: false)
        scenario.command(.override(variant: "native", forMs: Self.hourMs))
        let effects = scenario.trip()
        #expect(effects.moves.map(\.variant) == ["native"], "payers stay where the person put them")
        #expect(scenario.status?.state == .degraded)
        #expect(scenario.status?.variant == "native")
        #expect(scenario.story.state.openAlerts.map(\.decision) == [.overridden(version: 3)])
        #expect(scenario.story.state.openAlerts.map(\.phase) == [.firing], "native payments go on, and can fail")
        let cleared = scenario.command(.clear)
        #expect(scenario.status?.variant == "web")
        #expect(cleared.alertChanges.map(\.input) == [.switchDegraded])
    }

    @Test func `an override to the degraded route mitigates, and its end doesn't`() {
        var scenario = RecoveryScenario(trips: false) { $0.switches[0].mode = .disarmed }
        scenario.trip()
        #expect(scenario.story.state.openAlerts.map(\.phase) == [.firing])
        scenario.command(.override(variant: "web", forMs: Self.hourMs))
        #expect(scenario.story.state.openAlerts.map(\.phase) == [.mitigated])
        scenario.wait(Self.hourMs)
        #expect(scenario.story.state.openAlerts.map(\.phase) == [.firing])
    }

    @Test func `an override of the whole beats a slice's machine, one of a slice beats that of the whole`() {
        var scenario = RecoveryScenario(trips: false)
        scenario.command(.trip, Self.china)
        #expect(scenario.status?.decision(for: ["region": "CN"]).variant == "web")
        scenario.command(.override(variant: "native", forMs: Self.hourMs))
        #expect(scenario.status?.decision(for: ["region": "CN"]).variant == "native")
        #expect(scenario.status?.scopes.map(\.variant) == ["native"], "for clients that only look for their slice")
        #expect(scenario.status?.scopes.map(\.state) == [.degraded])
        scenario.command(.override(variant: "web", forMs: Self.hourMs), Self.china)
        #expect(scenario.status?.decision(for: ["region": "CN"]).variant == "web")
        #expect(scenario.status?.decision(for: ["region": "CN"]).decidedBy == "override: region=CN")
        #expect(scenario.status?.decision(for: [:]).variant == "native")
    }

    @Test func `a restart keeps an override, and ends none before half a minute has passed`() throws {
        var scenario = RecoveryScenario(trips: false)
        scenario.command(.override(variant: "web", forMs: Self.hourMs))
        let restored = try State(decoding: scenario.story.state.encoded())
        #expect(restored == scenario.story.state)
        scenario.apply(.started, atMs: 2 * Self.hourMs)
        #expect(scenario.status?.variant == "web")
        scenario.wait(29_999)
        #expect(scenario.status?.variant == "web")
        scenario.wait(1)
        #expect(scenario.status?.variant == "native")
    }

    @Test func `a dry run does everything but move payers`() {
        var scenario = RecoveryScenario { $0.switches[0].mode = .dryRun }
        #expect(scenario.status?.state == .degraded)
        #expect(scenario.status?.mode == .dryRun)
        #expect(scenario.status?.variant == "native")
        #expect(scenario.story.effects.moves.map(\.variant) == ["native"])
        #expect(scenario.story.state.openAlerts.map(\.decision) == [.wouldHaveTripped(version: 2)])
        #expect(scenario.story.state.openAlerts.map(\.phase) == [.firing])
        scenario.wait(331_000)
        #expect(scenario.status?.state == .probing)
        #expect(scenario.status?.percent == nil)
        for number in 0..<500 {
            #expect(scenario.status?.decision(for: ["installId": "\(number)"]).variant == "native")
        }
    }

    @Test func `a dry run's slices move nobody either`() {
        var scenario = RecoveryScenario(trips: false) { $0.switches[0].mode = .dryRun }
        scenario.command(.trip, Self.china)
        #expect(scenario.status?.scopes.map(\.variant) == ["native"])
        #expect(scenario.status?.decision(for: ["region": "CN"]).variant == "native")
    }

    @Test func `who arms a switch after a dry run gets what it would have done`() {
        var scenario = RecoveryScenario { $0.switches[0].mode = .dryRun }
        let effects = scenario.command(.mode(.armed))
        #expect(effects.moves.map(\.cause) == [.modeChanged])
        #expect(effects.moves.map(\.variant) == ["web"])
        #expect(effects.alertChanges.map(\.input) == [.switchDegraded])
        #expect(scenario.status?.variant == "web")
        let back = scenario.command(.mode(.dryRun))
        #expect(scenario.status?.variant == "native")
        #expect(back.alertChanges.map(\.input) == [.switchRestored])
        #expect(scenario.command(.mode(.dryRun)).isEmpty)
        #expect(scenario.story.state.lastRefusal == .alreadyInMode)
    }

    @Test func `a disarmed switch forgets what it had decided, and decides nothing more`() {
        var scenario = RecoveryScenario()
        let effects = scenario.command(.mode(.disarmed))
        #expect(effects.moves.map(\.cause) == [.modeChanged, .disarmed])
        #expect(scenario.status?.variant == "native")
        #expect(scenario.story.state.openAlerts.map(\.phase) == [.firing])
        #expect(scenario.trip().moves.isEmpty)
        #expect(scenario.story.state.openAlerts.map(\.decision) == [.held(.disarmed)])
        #expect(scenario.command(.trip).isEmpty)
        #expect(scenario.story.state.lastRefusal == .disarmed)
        scenario.command(.mode(.armed))
        #expect(scenario.status?.variant == "native")
        #expect(scenario.story.fail(times: 1).moves.count == 1, "what was counted meanwhile still counts")
    }

    @Test func `a person's mode stands until the file names another one`() {
        var scenario = RecoveryScenario(trips: false)
        scenario.command(.mode(.dryRun))
        var ruleSet = scenario.story.state.ruleSet
        ruleSet.switches[0].minimumDwellMs = 1
        scenario.apply(.configured(ruleSet))
        #expect(scenario.status?.mode == .dryRun)
        ruleSet.switches[0].mode = .disarmed
        scenario.apply(.configured(ruleSet))
        #expect(scenario.status?.mode == .disarmed)
    }

    @Test func `a limit holds back what would go beyond it, judged after the trip`() {
        var scenario = RecoveryScenario(trips: false) {
            $0.rules[0].groupBy = [.errorCode, .region]
            $0.rules[0].trip?.scope = [.region]
            $0.switches[0].blastRadiusPercent = 50
        }
        func pay(_ region: String?, _ times: Int, fails: Bool) {
            for _ in 0..<times {
                var event = scenario.event("i", fails: fails)
                event.region = region
                scenario.apply(.event(event))
            }
        }
        pay("US", 300, fails: false)
        pay("CN", 100, fails: true)
        #expect(scenario.status?.scopes.map(\.match) == [["region": "CN"]])
        pay("US", 100, fails: true)
        #expect(scenario.status?.scopes.map(\.match) == [["region": "CN"]], "both together would be everybody")
        #expect(scenario.story.state.openAlerts.last?.decision == .held(.blastRadius))
        pay(nil, 100, fails: true)
        #expect(scenario.story.effects.moves.count == 1)
        scenario.command(.trip)
        #expect(scenario.phase == .degraded, "a person isn't limited")
    }
}
