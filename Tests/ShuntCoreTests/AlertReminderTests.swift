import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// An alert that fires never goes quiet: reminders, acknowledgements, escalations, flapping, restarts.
@Suite struct AlertReminderTests {
    private static let minuteMs = AlertStory.minuteMs

    /// An alert that goes on for ever: its switch is degraded, and nobody tries to recover.
    private static func endless(_ change: (inout AlertPolicy) -> Void = { _ in }) -> AlertStory {
        var ruleSet = RuleSet.builtIn
        ruleSet.rules[0].threshold = 3
        ruleSet.rules[0].alert.resolveBelow = 2
        change(&ruleSet.rules[0].alert)
        var story = AlertStory()
        story.scenario = Scenario(ruleSet)
        return story
    }

    @Test func `people are reminded every hour while it goes on, payers on the other route or not`() {
        var story = Self.endless()
        #expect(story.fail(atMin: 1) == ["1 crossed", "1 switchDegraded (saidAlready)"])
        #expect(story.pass(toMin: 200) == ["61 reminded", "121 reminded", "181 reminded"])
        story.scenario.command(.restore, atMs: 205 * Self.minuteMs)
        #expect(story.pass(toMin: 400) == ["215 subsided"], "nobody is reminded of what is over")
    }

    @Test func `what people hear in between puts the reminder off`() {
        var story = Self.endless { $0.holdForMs = 1000 * Self.minuteMs }
        story.fail(atMin: 1)
        #expect(story.scenario.command(.restore, atMs: 31 * Self.minuteMs).alertLines == ["31 switchRestored"])
        #expect(story.pass(toMin: 100) == ["91 reminded"])
    }

    @Test func `of the reminders that nobody was there to send, one is sent`() {
        var story = Self.endless()
        story.fail(atMin: 1)
        #expect(story.scenario.apply(.tick, atMs: 500 * Self.minuteMs).alertLines == ["61 reminded"])
        #expect(story.pass(toMin: 600) == ["560 reminded"])
    }

    @Test func `an alert that ends in the moment of its reminder just ends`() {
        var story = AlertStory { $0.alert.renotifyEveryMs = 20 * Self.minuteMs }
        story.fail(atMin: 1)
        #expect(story.pass(toMin: 100) == ["21 subsided"])
    }

    // MARK: Acknowledgements

    @Test func `nobody is reminded while somebody looks after it, and all are when their time is over`() {
        var story = Self.endless()
        story.fail(atMin: 1)
        #expect(story.acknowledge(forMin: 120, atMin: 10) == ["10 acknowledged (acknowledged)"])
        #expect(story.alert?.acknowledgement?.actor == "mei")
        #expect(story.alert?.acknowledgement?.note == "looking")
        #expect(story.alert?.phase == .mitigated, "it stays what it is")
        #expect(story.pass(toMin: 200) == ["130 unacknowledged", "190 reminded"])
        #expect(story.alert?.acknowledgement == nil)
    }

    @Test func `who acknowledges again takes it over`() {
        var story = Self.endless()
        story.fail(atMin: 1)
        story.acknowledge(forMin: 30, atMin: 10)
        story.acknowledge(forMin: 60, atMin: 20)
        #expect(story.pass(toMin: 81) == ["80 unacknowledged"])
    }

    @Test func `what has ended stays ended, and what isn't known isn't made`() {
        var story = AlertStory()
        story.fail(atMin: 1)
        let id = story.alert?.id ?? ""
        story.pass(toMin: 30)
        let before = story.state.alertBook
        #expect(story.command(.acknowledge(alert: id, note: "", forMs: 1000), atMin: 31).isEmpty)
        #expect(story.state.lastAlertAnswer == .failure(.alreadyResolved))
        #expect(story.state.openAlerts.isEmpty && story.state.alertBook == before)
        story.command(.acknowledge(alert: "1-1", note: "", forMs: 1000), atMin: 31)
        #expect(story.state.lastAlertAnswer == .failure(.unknownAlert))
    }

    @Test func `what doesn't fire yet can't be acknowledged, and no time is too long or none`() {
        var story = AlertStory { $0.alert.forMs = 5 * Self.minuteMs }
        story.fail(atMin: 1)
        story.acknowledge(atMin: 2)
        #expect(story.state.lastAlertAnswer == .failure(.notFiring))
        story.pass(toMin: 6)
        story.acknowledge(forMin: 1441, atMin: 7)
        #expect(story.state.lastAlertAnswer == .failure(.endsTooLate))
        story.acknowledge(forMin: 0, atMin: 7)
        #expect(story.state.lastAlertAnswer == .failure(.endsInPast))
        story.acknowledge(forMin: 1440, atMin: 7)
        #expect(story.state.lastAlertAnswer == .success(story.alert?.id ?? ""))
    }

    // MARK: Escalation

    private static func escalating() -> AlertStory {
        endless {
            $0.channels = ["oncall"]
            $0.escalateAfterMs = 15 * minuteMs
            $0.escalateTo = ["lead", "oncall"]
        }
    }

    @Test func `an alert that nobody takes goes to others too, once`() {
        var story = Self.escalating()
        story.fail(atMin: 1)
        #expect(story.scenario.effects.alertChanges.allSatisfy { $0.channels == ["oncall"] })
        #expect(story.pass(toMin: 140) == ["16 escalated", "76 reminded", "136 reminded"])
        let channels = story.scenario.effects.alertChanges.map(\.channels)
        #expect(channels.suffix(3) == [["oncall", "lead"], ["oncall", "lead"], ["oncall", "lead"]])
    }

    @Test func `one that somebody took doesn't, until their time is over and nobody takes it then`() {
        var story = Self.escalating()
        story.fail(atMin: 1)
        story.acknowledge(forMin: 30, atMin: 10)
        #expect(story.pass(toMin: 60) == ["40 unacknowledged", "55 escalated"])
    }

    // MARK: Flapping

    @Test(arguments: [(1, 10), (2, 20), (3, 40), (4, 60), (5, 60)] as [(Int, Int64)])
    func `the hold of an alert that fires again within an hour doubles, to an hour`(fires: Int, holdMin: Int64) {
        var story = AlertStory()
        var atMin: Int64 = 1
        for number in 1...fires {
            story.fail(atMin: atMin)
            #expect(story.alert?.refires == number - 1)
            guard number < fires, let due = story.state.nextDeadline else { break }
            let endMin = due.milliseconds / Self.minuteMs
            #expect(story.pass(toMin: endMin) == ["\(endMin) subsided"])
            atMin = endMin + 5
        }
        #expect(story.state.nextDeadline == Timestamp(milliseconds: (atMin + 10 + holdMin) * Self.minuteMs))
    }

    @Test func `ten bursts that are 25 minutes apart make two pages, not ten`() {
        var story = AlertStory()
        for number in 0..<10 as Range<Int64> { story.fail(atMin: 1 + 25 * number) }
        story.pass(toMin: 1000)
        let told = story.scenario.effects.alertChanges.filter { $0.untold == nil }.map(\.input)
        #expect(told == [.crossed, .subsided, .crossed, .subsided])
    }

    @Test func `after an hour without it the trouble is another one`() {
        var story = AlertStory()
        story.fail(atMin: 1)
        story.pass(toMin: 80)
        story.fail(atMin: 81)
        #expect(story.alert?.refires == 0, "it ended at 21")
        story.pass(toMin: 160)
        story.fail(atMin: 160)
        #expect(story.alert?.refires == 1, "one minute less")
    }

    @Test func `it is known for an hour, however many groups there are meanwhile`() throws {
        var story = AlertStory()
        story.scenario = Scenario(RuleSet(rules: [AlertStory.rule], switches: [], maximumGroups: 2))
        story.fail(atMin: 1)
        story.pass(toMin: 30)
        for code in 2...9 { story.fail("\(code)", times: 1, atMin: 40) }
        story.fail(atMin: 50)
        #expect(story.alert?.refires == 1)
    }

    // MARK: Restarts

    @Test(arguments: [22, 25, 600] as [Int64])
    func `a restart makes no second page and no false end`(startMin: Int64) throws {
        var story = AlertStory { $0.alert.renotifyEveryMs = AlertStory.hourMs }
        story.fail(atMin: 1)
        // It would have ended at 21, but nobody was there to hear of failures.
        let before = story.alert
        #expect(try story.restart(atMin: startMin).isEmpty)
        #expect(story.alert?.id == before?.id)
        #expect(story.alert?.phase == .firing)
        #expect(story.alert?.startsAt == before?.startsAt)
        let lines = story.pass(toMin: startMin + 10)
        #expect(lines.last == "\(startMin + 10) subsided", "its end isn't lost")
        #expect(lines.dropLast() == (startMin < 61 ? [] : ["\(startMin)m30000ms reminded"]))
    }

    @Test func `a restart brings nobody out of bed before the grace is over`() throws {
        var story = Self.escalating()
        story.fail(atMin: 1)
        story.acknowledge(forMin: 5, atMin: 2)
        #expect(try story.restart(atMin: 500).isEmpty)
        #expect(story.scenario.apply(.tick, atMs: 500 * Self.minuteMs + 29_999).isEmpty)
        #expect(story.pass(toMin: 520) == ["500m30000ms unacknowledged", "515m30000ms escalated"])
    }

    @Test func `a reload of the same rules, or of other policies, changes no alert`() {
        var story = Self.endless()
        story.fail(atMin: 1)
        var ruleSet = story.state.ruleSet
        #expect(story.scenario.apply(.configured(ruleSet), atMs: 2 * Self.minuteMs).isEmpty)
        ruleSet.rules[0].alert.renotifyEveryMs = 2 * AlertStory.hourMs
        ruleSet.rules[0].alert.channels = ["oncall"]
        #expect(story.scenario.apply(.configured(ruleSet), atMs: 3 * Self.minuteMs).isEmpty)
        #expect(story.pass(toMin: 130) == ["121 reminded"])
    }

    @Test func `a shorter hold takes hold now, not at a time that is past`() {
        var story = AlertStory()
        story.fail(atMin: 1)
        var rule = AlertStory.rule
        rule.alert.holdForMs = 0
        let effects = story.scenario.apply(.configured(RuleSet(rules: [rule], switches: [])), atMs: 15 * Self.minuteMs)
        #expect(effects.alertLines == ["15 subsided"])
    }
}
