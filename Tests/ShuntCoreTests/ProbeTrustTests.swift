import ShuntCore
import ShuntSchema
import Testing

/// What comes through tokens that are inside apps can be made up: alone it neither restores a switch nor keeps it
/// degraded more easily than what trusted reporters tell.
@Suite struct ProbeTrustTests {
    private static func probing() -> RecoveryScenario {
        var scenario = RecoveryScenario()
        scenario.coolDown()
        return scenario
    }

    private static let byApp: @Sendable (inout PaymentEvent) -> Void = { $0.trust = .public }

    @Test func `ten installs restore when they are trusted, and nineteen that aren't don't`() {
        var trusted = Self.probing()
        let ten = trusted.cohort(10)
        trusted.pay(ten + ten + ten)
        #expect(trusted.phase == .ramping)
        var other = Self.probing()
        let nineteen = other.cohort(19)
        other.pay(nineteen + nineteen + nineteen, Self.byApp)
        #expect(other.phase == .probing, "57 attempts of 19 installs")
        other.pay([other.cohort(20)[19]], Self.byApp)
        #expect(other.phase == .ramping)
    }

    @Test func `half of the attempts trusted is as good as twice the installs`() {
        var scenario = Self.probing()
        let installs = scenario.cohort(12)
        scenario.pay(Array(installs[..<7] + installs[..<7]))
        scenario.pay(Array(installs[7...] + installs[7...] + installs[7...] + installs[..<7]), Self.byApp)
        #expect(scenario.phase == .probing, "14 of 36 are trusted")
        scenario.pay([installs[11]])
        #expect(scenario.phase == .probing, "three of an install count, whoever tells of them")
        scenario.pay([installs[0]])
        #expect(scenario.phase == .probing)
        var other = Self.probing()
        let ten = other.cohort(10)
        other.pay(Array(ten[..<5] + ten[..<5] + ten[..<5]))
        other.pay(Array(ten[5...] + ten[5...] + ten[5...]), Self.byApp)
        #expect(other.phase == .ramping, "15 of 30 are trusted")
    }

    @Test func `five failures of three installs end a probe when they are trusted, else of six`() {
        var scenario = Self.probing()
        let installs = scenario.cohort(6)
        scenario.pay(Array(installs[..<5] + installs[..<5]), fails: true, Self.byApp)
        #expect(scenario.phase == .probing, "10 failures of 5 installs, all of them from apps")
        scenario.pay([installs[5]], fails: true, Self.byApp)
        #expect(scenario.state == .degraded(level: 2))
        var other = Self.probing()
        let three = other.cohort(3)
        other.pay([three[0], three[0], three[1]], fails: true)
        other.pay([three[1], three[2]], fails: true, Self.byApp)
        #expect(other.state == .degraded(level: 2), "3 of 5 are trusted")
    }

    @Test func `a thousand made-up successes don't outvote five failures that a back end saw`() {
        var scenario = RecoveryScenario {
            $0.switches[0].recovery.probePercent = 100
            $0.switches[0].recovery.rampPercents = [100]
        }
        scenario.probeWell()
        scenario.pay((0..<1000).map { "made-up-\($0)" }, Self.byApp)
        scenario.pay(["real-1", "real-1", "real-2", "real-2"], fails: true)
        #expect(scenario.phase == .ramping)
        scenario.pay(["real-3"], fails: true)
        #expect(scenario.state == .degraded(level: 2))
        // Good comes before bad for trusted reporters too: of many attempts five may fail.
        var busy = RecoveryScenario { $0.switches[0].recovery.probePercent = 100 }
        busy.coolDown()
        busy.pay(["real-1", "real-1", "real-2", "real-2"], fails: true)
        busy.pay((0..<150).map { "fine-\($0)" })
        #expect(busy.phase == .ramping)
    }

    @Test func `an attempt that both tell of is trusted, and what a back end saw go well an app can't undo`() {
        var scenario = Self.probing()
        let installs = scenario.cohort(10)
        for round in 0..<3 {
            for install in installs {
                for trust in [ReporterTrust.public, .trusted] where trust == .public || round < 2 {
                    var event = scenario.event(install)
                    event.attemptId = "\(round)-\(install)"
                    event.trust = trust
                    scenario.apply(.event(event))
                }
            }
        }
        #expect(scenario.phase == .ramping, "20 of 30 are trusted in the end")
        var other = Self.probing()
        let six = other.cohort(6)
        for (number, trust) in [ReporterTrust.trusted, .public].enumerated() {
            for install in six {
                var event = other.event(install, fails: number == 1)
                event.attemptId = "once-\(install)"
                event.trust = trust
                other.apply(.event(event))
            }
        }
        #expect(other.machine?.evidence?.failures == 0)
        #expect(other.machine?.evidence?.attempts == 6)
    }

    @Test func `what a snapshot holds says who was trusted`() throws {
        var scenario = Self.probing()
        let installs = scenario.cohort(8)
        scenario.pay(Array(installs[..<4]))
        scenario.pay(Array(installs[2..<6]), Self.byApp)
        scenario.pay([installs[6]], fails: true)
        scenario.pay([installs[7]], fails: true, Self.byApp)
        let read = try State(decoding: scenario.story.state.encoded())
        let evidence = try #require(read.switches.machine(of: "apple-pay", in: RecoveryScenario.production)?.evidence)
        #expect(evidence == scenario.machine?.evidence)
        #expect(evidence.trustedAttempts == 5 && evidence.trustedFailures == 1)
        #expect(evidence.installs == 8 && evidence.failedInstalls == 2)
    }
}
