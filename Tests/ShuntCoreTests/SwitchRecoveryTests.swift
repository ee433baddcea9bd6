import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// How a switch comes back: what other systems' breakers were reported to get wrong, each as a sentence.
@Suite struct SwitchRecoveryTests {
    @Test func `from trip to normal by way of a probe and a ramp, a version each`() {
        var scenario = RecoveryScenario()
        #expect(scenario.state == .degraded(level: 1))
        scenario.probeWell()
        #expect(scenario.state == .ramping(level: 1, step: 0))
        #expect(scenario.status?.percent == 90)
        #expect(scenario.status?.variant == "web", "a client that knows no shares is told the safe route")
        scenario.recover()
        #expect(scenario.state == .normal)
        let moves = scenario.story.effects.moves
        #expect(moves.map(\.version) == Array(2...8))
        #expect(
            moves.map(\.cause) == [
                .ruleTrips, .coolDownEnds, .probeIsGood, .probeIsGood, .probeIsGood, .probeIsGood, .probeIsGood,
            ]
        )
        #expect(moves.map(\.to) == [.degraded, .probing, .ramping, .ramping, .ramping, .ramping, .normal])
        #expect(moves.map(\.variant) == Array(repeating: "web", count: 6) + ["native"])
        #expect(moves[1].reason.rule == "error-code-burst", "the rule stays named while it recovers")
        #expect(scenario.story.state.openAlerts.map(\.phase) == [.firing])
        #expect(
            scenario.story.effects.alertChanges.map(\.input) == [.crossed, .switchDegraded, .switchRestored],
            "mitigated until normal, and no sooner"
        )
    }

    @Test func `silence never restores, and after three probes without evidence a person is asked`() {
        var scenario = RecoveryScenario()
        let effects = scenario.wait(100 * 86_400_000)
        #expect(
            effects.moves.map(\.cause) == [
                .coolDownEnds, .probeIsUnknown, .coolDownEnds, .probeIsUnknown, .coolDownEnds, .askPerson,
            ]
        )
        #expect(scenario.state == .degraded(level: 1), "the same level: nothing got worse")
        #expect(scenario.status?.variant == "web")
        #expect(scenario.status?.reason?.summary.hasSuffix("a person has to decide") == true)
        #expect(scenario.story.state.nextDeadline == nil)
        #expect(scenario.story.state.openAlerts.map(\.phase) == [.mitigated])
    }

    private static let unknowns: [(UnknownPolicy, SwitchState)] = [
        (.hold, .degraded(level: 1)), (.restore, .ramping(level: 1, step: 0)), (.degrade, .degraded(level: 2)),
    ]

    @Test(arguments: unknowns)
    func `a probe has a deadline, and what no evidence means is a setting`(policy: UnknownPolicy, next: SwitchState) {
        var scenario = RecoveryScenario { $0.switches[0].recovery.onUnknown = policy }
        scenario.coolDown()
        scenario.pay(scenario.cohort(29))
        scenario.wait(900_000 - 1)
        #expect(scenario.phase == .probing)
        scenario.wait(1)
        #expect(scenario.state == next)
    }

    @Test func `five failures from three installs end a probe, and four or two installs don't`() {
        var scenario = RecoveryScenario()
        scenario.coolDown()
        let installs = scenario.cohort(5)
        scenario.pay([installs[0], installs[0], installs[0], installs[0], installs[1], installs[1]], fails: true)
        #expect(scenario.phase == .probing, "two devices alone say nothing")
        scenario.pay([installs[2]], fails: true)
        #expect(scenario.state == .degraded(level: 2))
        var other = RecoveryScenario()
        other.coolDown()
        other.pay(Array(other.cohort(4)), fails: true)
        #expect(other.phase == .probing)
    }

    @Test func `one success isn't enough: thirty attempts are`() {
        var scenario = RecoveryScenario()
        scenario.coolDown()
        let installs = scenario.cohort(30)
        scenario.pay(Array(installs[..<27]))
        #expect(scenario.phase == .probing)
        scenario.pay(Array(repeating: installs[0], count: 20))
        #expect(scenario.phase == .probing, "no single device restores a switch")
        scenario.pay([installs[27]])
        #expect(scenario.phase == .ramping)
    }

    @Test func `a few failures among many attempts are no bad probe`() {
        var scenario = RecoveryScenario { $0.switches[0].recovery.probePercent = 100 }
        scenario.coolDown()
        scenario.pay(scenario.cohort(4), fails: true)
        scenario.pay((0..<60).map { "other-\($0)" })
        #expect(scenario.phase == .probing, "of 64 attempts 4 failed: more than ten per cent can't be ruled out")
        scenario.pay((0..<60).map { "further-\($0)" })
        #expect(scenario.phase == .ramping)
        scenario.pay(scenario.cohort(400))
        scenario.pay((0..<9).map { scenario.cohort(400)[$0] }, fails: true)
        #expect(scenario.phase == .ramping)
    }

    private static let unheard: [Row<@Sendable (inout PaymentEvent) -> Void>] = [
        Row("one that began before the probe, by its version", { $0.switchVersion = 2 }),
        Row("one that doesn't say under which version", { $0.switchVersion = nil }),
        Row("one of a version that doesn't exist yet", { $0.switchVersion = 1_000_000 }),
        Row("the sandbox's", { $0.environment = "sandbox" }),
        Row("one without install", { $0.installId = nil }),
        Row("a mere beginning", { $0.outcome = .attempted }),
        Row("a cancel", { $0.outcome = .cancelled }),
        Row("one on the other route", { $0.route = "web" }),
        Row("a late one", { $0.occurredAt = Timestamp(milliseconds: -100_000_000) }),
        Row(
            "a counter",
            { $0.counts = Counts(from: Timestamp(milliseconds: 0), to: Timestamp(milliseconds: 1), count: 9) }
        ),
    ]

    @Test(arguments: unheard, [false, true])
    private func `what proves nothing about those who try isn't heard`(
        row: Row<@Sendable (inout PaymentEvent) -> Void>,
        fails: Bool
    ) {
        var scenario = RecoveryScenario()
        scenario.coolDown()
        scenario.pay(scenario.cohort(60), fails: fails, row.value)
        #expect(scenario.phase == .probing)
        #expect(scenario.machine?.evidence?.attempts == 0)
    }

    @Test func `installs outside the share aren't heard`() {
        var scenario = RecoveryScenario()
        scenario.coolDown()
        scenario.pay(scenario.cohort(60, sentTo: "web"))
        #expect(scenario.machine?.evidence?.attempts == 0)
        scenario.pay(scenario.cohort(1))
        #expect(scenario.machine?.evidence?.attempts == 1)
    }

    @Test func `the payer's, the issuer's and risk failures neither spoil a probe nor make it good`() {
        var scenario = RecoveryScenario {
            $0.catalogue = CatalogueSource.refusing(["14", "51", "59"])
        }
        scenario.coolDown()
        for code in ["14", "51", "59"] {
            scenario.pay(scenario.cohort(40), fails: true) { $0.error = ErrorReport(domain: "bank", code: code) }
        }
        #expect(scenario.phase == .probing)
        #expect(scenario.machine?.evidence?.attempts == 0)
    }

    @Test func `other payments than the rules look at prove nothing`() {
        var scenario = RecoveryScenario { $0.rules[0].match = [Condition(.paymentMethod, .oneOf(["applePay"]))] }
        #expect(scenario.phase == .normal, "the failures name no method")
        scenario.command(.trip)
        scenario.coolDown()
        scenario.pay(scenario.cohort(60)) { $0.paymentMethod = "card" }
        #expect(scenario.machine?.evidence?.attempts == 0)
        scenario.pay(scenario.cohort(30)) { $0.paymentMethod = "applePay" }
        #expect(scenario.phase == .ramping)
    }

    @Test func `a rule's guard stays live while a switch recovers, and looks at new failures only`() {
        var scenario = RecoveryScenario()
        scenario.story.fail(times: 90, fromMs: 250_000)
        scenario.coolDown()
        scenario.story.fail(times: 99)
        #expect(scenario.phase == .probing, "ninety failures from before the probe don't count")
        let effects = scenario.story.fail(times: 1)
        #expect(effects.moves.map(\.cause) == [.ruleTrips])
        #expect(scenario.state == .degraded(level: 2))
        #expect(scenario.story.state.openAlerts.map(\.decision) == [.tripped(version: 4)])
    }

    @Test func `a step of the ramp lasts its time, however well it goes`() {
        var scenario = RecoveryScenario()
        scenario.probeWell()
        scenario.pay(scenario.cohort(200))
        #expect(scenario.state == .ramping(level: 1, step: 0))
        scenario.wait(120_000 - 1)
        #expect(scenario.state == .ramping(level: 1, step: 0))
        scenario.wait(1)
        #expect(scenario.state == .ramping(level: 1, step: 1))
        #expect(scenario.machine?.evidence?.attempts == 0, "each step is judged by its own")
    }

    @Test func `a step without evidence waits for it until its deadline`() {
        var scenario = RecoveryScenario()
        scenario.probeWell()
        scenario.wait(890_000)
        #expect(scenario.state == .ramping(level: 1, step: 0))
        scenario.pay(scenario.cohort(30))
        #expect(scenario.state == .ramping(level: 1, step: 1), "it comes late, and suffices at once")
        scenario.wait(900_000)
        #expect(scenario.state == .degraded(level: 1))
    }

    @Test func `failures send a ramp back, to a longer cool-down`() throws {
        var scenario = RecoveryScenario()
        scenario.probeWell()
        scenario.pay(scenario.cohort(5), fails: true)
        #expect(scenario.state == .degraded(level: 2))
        let waitMs = try #require(scenario.machine?.timer).at.milliseconds - scenario.nowMs
        #expect((540_000...660_000).contains(waitMs))
    }

    @Test func `cool-downs double up to the longest, each within a tenth of its length`() {
        var scenario = RecoveryScenario()
        var lengths: [Double] = []
        for _ in 0..<7 {
            lengths.append(Double((scenario.machine?.timer?.at.milliseconds ?? 0) - scenario.nowMs) / 60_000)
            scenario.coolDown()
            scenario.pay(scenario.cohort(5), fails: true)
        }
        for (length, minutes) in zip(lengths, [5, 10, 20, 40, 60, 60, 60] as [Double]) {
            #expect((minutes * 0.9...minutes * 1.1).contains(length))
        }
    }

    @Test func `an install keeps its answer while a switch recovers, and those who try only become more`() {
        var scenario = RecoveryScenario()
        scenario.coolDown()
        var former = Set<String>()
        for _ in 0..<5 {
            let trying = Set(scenario.cohort(30))
            #expect(former.allSatisfy { scenario.status?.decision(for: ["installId": $0]).variant == "native" })
            former.formUnion(trying)
            scenario.pay(Array(trying))
            scenario.wait(120_000)
        }
        #expect(scenario.phase == .normal)
    }

    @Test func `a level is forgotten hour by hour while all is well`() {
        var scenario = RecoveryScenario { $0.switches[0].flapLock = nil }
        scenario.coolDown()
        scenario.pay(scenario.cohort(5), fails: true)
        scenario.recover()
        scenario.wait(3_599_999)
        scenario.trip()
        #expect(scenario.state == .degraded(level: 3))
        scenario.recover()
        scenario.wait(3_600_000)
        scenario.trip()
        #expect(scenario.state == .degraded(level: 3))
    }

    @Test func `the third trip within an hour locks, and only a person unlocks`() {
        var scenario = RecoveryScenario()
        scenario.recover()
        scenario.wait(60_000)
        scenario.trip()
        #expect(scenario.state == .degraded(level: 2))
        scenario.command(.restore)
        scenario.trip()
        #expect(scenario.phase == .locked)
        #expect(scenario.status?.variant == "web")
        scenario.wait(100 * 86_400_000)
        scenario.trip()
        #expect(scenario.phase == .locked)
        #expect(scenario.command(.trip).isEmpty)
        scenario.command(.restore)
        #expect(scenario.phase == .normal)
        scenario.trip()
        #expect(scenario.phase == .degraded, "who unlocks it looks after it")
    }

    @Test func `trips an hour apart don't lock`() {
        var scenario = RecoveryScenario()
        for _ in 0..<4 {
            scenario.command(.restore)
            scenario.wait(1_800_000)
            scenario.trip()
            #expect(scenario.phase == .degraded)
        }
    }

    @Test func `for a minute after it became normal by itself no rule trips it, then the next failure does`() {
        var scenario = RecoveryScenario()
        scenario.recover()
        scenario.wait(59_999)
        #expect(scenario.trip().moves.isEmpty)
        #expect(scenario.story.state.openAlerts.map(\.decision) == [.held(.minimumDwell)])
        scenario.wait(1)
        #expect(scenario.story.fail(times: 1).moves.map(\.cause) == [.ruleTrips])
    }

    @Test func `the second trip needs what the first one needed`() {
        var scenario = RecoveryScenario()
        scenario.recover()
        scenario.wait(60_000)
        #expect(scenario.story.fail(times: 99).moves.isEmpty)
        #expect(scenario.story.fail(times: 1).moves.count == 1)
    }

    @Test func `recovery by hand waits for a person`() {
        var scenario = RecoveryScenario { $0.switches[0].recovery = RecoveryPolicy(mode: .manual) }
        #expect(scenario.story.state.nextDeadline == nil)
        scenario.wait(100 * 86_400_000)
        #expect(scenario.phase == .degraded)
        scenario.command(.restore)
        #expect(scenario.phase == .normal)
    }

    @Test(arguments: [UnknownPolicy.hold, .degrade, .restore])
    func `a daemon that was away lets nothing become due, and gives probes their time back`(policy: UnknownPolicy) {
        var scenario = RecoveryScenario { $0.switches[0].recovery.onUnknown = policy }
        scenario.coolDown()
        scenario.pay(scenario.cohort(7))
        let before = scenario.machine
        let leftMs = (before?.timer?.at.milliseconds ?? 0) - scenario.nowMs
        #expect(scenario.apply(.started, atMs: scenario.nowMs + 86_400_000).isEmpty)
        #expect(scenario.state == before?.state)
        #expect(scenario.machine?.evidence == before?.evidence)
        #expect((scenario.machine?.timer?.at.milliseconds ?? 0) - scenario.nowMs == leftMs)
        scenario.wait(leftMs - 1)
        #expect(scenario.phase == .probing)
    }

    @Test func `a cool-down that ended meanwhile ends half a minute after the start, and one that didn't at its time`()
    {
        for (awayMs, leftMs) in [(Int64(86_400_000), Int64(30_000)), (1000, nil)] {
            var scenario = RecoveryScenario()
            let endMs = scenario.machine?.timer?.at.milliseconds ?? 0
            #expect(scenario.apply(.started, atMs: awayMs).isEmpty)
            #expect(scenario.machine?.timer?.at.milliseconds == leftMs.map { $0 + awayMs } ?? endMs)
            #expect(scenario.phase == .degraded)
        }
    }

    @Test func `a timer that was set under another version is dropped`() throws {
        var scenario = RecoveryScenario()
        let timer = try #require(scenario.machine?.timer)
        scenario.command(.restore)
        scenario.trip()
        let machine = try #require(scenario.machine)
        #expect(!machine.awaits(timer))
        #expect(machine.awaits(try #require(machine.timer)))
        let effects = scenario.apply(.tick, atMs: timer.at.milliseconds)
        #expect(effects.moves.allSatisfy { $0.version > machine.stateVersion })
    }

    @Test func `settings that change take hold without a restart, and a cool-down in progress isn't lost`() {
        var scenario = RecoveryScenario()
        var ruleSet = scenario.story.state.ruleSet
        ruleSet.switches[0].recovery = RecoveryPolicy(mode: .manual)
        scenario.apply(.configured(ruleSet))
        #expect(scenario.story.state.nextDeadline == nil)
        ruleSet.switches[0].recovery = RecoveryPolicy(mode: .probe)
        scenario.apply(.configured(ruleSet))
        scenario.wait(331_000)
        #expect(scenario.phase == .probing)
        ruleSet.switches = []
        scenario.apply(.configured(ruleSet))
        scenario.wait(10_000_000)
        ruleSet.switches = RuleSet.builtIn.switches
        ruleSet.switches[0].recovery = RecoveryPolicy(mode: .probe)
        scenario.apply(.configured(ruleSet))
        #expect(scenario.phase == .probing, "nobody was told of it meanwhile")
        scenario.wait(900_000)
        #expect(scenario.phase == .degraded)
    }
}

extension CatalogueSource {
    /// A catalogue in which these codes of `bank` never count for a switch.
    static func refusing(_ codes: [String], of domain: String = "bank") -> CatalogueSource {
        let entry = CatalogueEntry(
            name: "refused",
            failureClass: .issuer,
            retry: .never,
            switchWeight: .none,
            money: .notMoved
        )
        return CatalogueSource(
            systems: [
                CatalogueSystem(
                    name: "bank",
                    domains: [domain],
                    rows: codes.map { .init(code: $0, entry: entry) }
                )
            ]
        )
    }
}
