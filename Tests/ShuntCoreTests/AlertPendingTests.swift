import ShuntCore
import ShuntSchema
import Testing

/// What comes before an alert fires: a wait, a warning.
@Suite struct AlertPendingTests {
    private static let minuteMs = AlertStory.minuteMs

    private static func waiting(_ minutes: Int64) -> AlertStory {
        AlertStory { $0.alert.forMs = minutes * minuteMs }
    }

    @Test func `an alert that must hold fires when it has, though nothing more comes in`() {
        var story = Self.waiting(5)
        #expect(story.fail(atMin: 1) == ["1 pended (pending)"])
        #expect(story.alert?.phase == .pending)
        #expect(story.state.troubleCount == 0, "nothing is wrong yet")
        #expect(story.pass(toMin: 5).isEmpty)
        #expect(story.pass(toMin: 30) == ["6 crossed", "21 subsided"])
        #expect(story.state.alertBook.ended.map(\.startsAt) == [Timestamp(milliseconds: 6 * Self.minuteMs)])
    }

    @Test func `a condition that breaks before that makes nobody hear of it`() {
        var story = Self.waiting(15)
        story.fail(atMin: 1)
        #expect(story.pass(toMin: 60) == ["11 subsided (neverTold)"], "the three are out of the window")
        #expect(story.state.alertBook.ended.isEmpty)
        #expect(story.state.openAlerts.isEmpty)
    }

    @Test func `failures in time keep it holding, and after a break the wait starts anew`() {
        var story = Self.waiting(15)
        story.fail(atMin: 1)
        story.fail(atMin: 10)
        #expect(story.pass(toMin: 16) == ["16 crossed"])
        var broken = Self.waiting(15)
        broken.fail(atMin: 1)
        // At the very end of the window they are out, and a new alert begins.
        #expect(broken.fail(atMin: 11) == ["11 subsided (neverTold)", "11 pended (pending)"])
        broken.fail(atMin: 20)
        #expect(broken.pass(toMin: 26) == ["26 crossed"])
    }

    @Test func `a wait goes on over a restart, and a longer wait takes hold at once`() throws {
        var story = Self.waiting(9)
        story.fail(atMin: 1)
        #expect(try story.restart(atMin: 4).isEmpty)
        #expect(story.pass(toMin: 10) == ["10 crossed"])
        var other = Self.waiting(9)
        other.fail(atMin: 1)
        var rule = AlertStory.rule
        rule.alert.forMs = 2 * Self.minuteMs
        let effects = other.scenario.apply(
            .configured(RuleSet(rules: [rule], switches: [])),
            atMs: 5 * Self.minuteMs
        )
        #expect(effects.alertLines == ["5 crossed"], "now, not at a time when nobody could know")
    }

    @Test func `a trip waits for nothing, and its alert fires at once`() {
        var ruleSet = RuleSet.withoutReminders
        ruleSet.rules[0].alert.forMs = 2 * Self.minuteMs
        var scenario = Scenario(ruleSet)
        let effects = scenario.fail(times: 100)
        #expect(
            effects.story == [
                "apple-pay [production] to web, version 2", "crossed: error-code-burst is firing",
                "switchDegraded: error-code-burst is mitigated",
            ]
        )
        #expect(effects.alertLines == ["0 crossed", "0 switchDegraded (saidAlready)"], "one message, not two")
    }

    @Test func `one whose trip is held back waits`() {
        var ruleSet = RuleSet.withoutReminders
        ruleSet.rules[0].alert.forMs = 2 * Self.minuteMs
        ruleSet.rules[0].require.installs = 5
        var scenario = Scenario(ruleSet)
        for number in 0..<100 {
            var event = PaymentEvent.failure("8771")
            event.attemptId = "\(number)"
            event.installId = "\(number % 4)"
            scenario.apply(.event(event), atMs: 1000)
        }
        #expect(scenario.effects.alertLines == ["0m1000ms pended (pending)"])
        #expect(scenario.state.openAlerts.map(\.decision) == [.held(.tooFewInstalls)])
        #expect(scenario.apply(.tick, atMs: 121_000).alertLines == ["2m1000ms crossed"])
        #expect(scenario.effects.moves.isEmpty)
    }

    @Test func `a rate must hold too, as far as it is looked at`() {
        var story = AlertStory {
            $0.kind = .change(percent: 50)
            $0.alert.forMs = 3 * Self.minuteMs
        }
        story.fail(atMin: 30)
        #expect(story.alert?.phase == .pending)
        #expect(story.pass(toMin: 33) == ["33 crossed"])
        #expect(story.pass(toMin: 120).map { $0.split(separator: " ").last } == ["subsided"])
        var brief = AlertStory {
            $0.kind = .change(percent: 50)
            $0.alert.forMs = 15 * Self.minuteMs
        }
        brief.fail(atMin: 30)
        let lines = brief.pass(toMin: 120)
        #expect(lines.count == 1 && lines.first?.hasSuffix("subsided (neverTold)") == true)
    }

    // MARK: Warnings

    private static func warning() -> AlertStory {
        AlertStory {
            $0.threshold = 10
            $0.alert.resolveBelow = 2
            $0.alert.warnAtPercent = 50
        }
    }

    @Test func `half of the threshold is a warning, one fewer is nothing`() {
        var story = Self.warning()
        #expect(story.fail(times: 4, atMin: 1).isEmpty)
        #expect(story.fail(times: 1, atMin: 2) == ["2 warned"])
        #expect(story.alert?.severity == .warning)
        #expect(story.alert?.phase == .pending)
        #expect(story.alert?.count == 5)
        #expect(story.fail(times: 4, atMin: 3).isEmpty, "one warning")
    }

    @Test func `a warning becomes the alert, which is the same one`() {
        var story = Self.warning()
        story.fail(times: 9, atMin: 1)
        let id = story.alert?.id
        #expect(story.fail(times: 1, atMin: 2) == ["2 crossed"])
        #expect(story.alert?.id == id)
        #expect(story.alert?.severity == .critical)
        #expect(story.alert?.count == 10)
        #expect(story.alert?.startsAt == Timestamp(milliseconds: 2 * Self.minuteMs))
    }

    @Test func `a warning that comes to nothing ends quietly, and is remembered`() {
        var story = Self.warning()
        story.fail(times: 5, atMin: 1)
        #expect(story.pass(toMin: 60) == ["21 subsided (onlyWarned)"], "below five for ten minutes")
        #expect(story.state.alertBook.ended.count == 1)
        #expect(story.fail(times: 5, atMin: 61) == ["61 warned"], "and can warn again")
    }

    @Test func `a warning whose wait is broken is a warning still`() {
        var story = AlertStory {
            $0.threshold = 10
            $0.alert.forMs = 30 * Self.minuteMs
            $0.alert.warnAtPercent = 50
        }
        story.fail(times: 5, atMin: 1)
        #expect(story.fail(times: 5, atMin: 2) == ["2 pended (pending)"])
        story.fail(times: 5, atMin: 10)
        #expect(story.pass(toMin: 15).isEmpty)
        #expect(story.alert?.holdingSince == nil, "five are out of the window")
        #expect(story.pass(toMin: 60) == ["30 subsided (onlyWarned)"])
    }
}
