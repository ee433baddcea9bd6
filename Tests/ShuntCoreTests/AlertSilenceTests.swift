import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// A silence hides what is told, always ends, and then what still fires is told at once.
@Suite struct AlertSilenceTests {
    private static let minuteMs = AlertStory.minuteMs

    private static func endless() -> AlertStory {
        AlertStory {
            $0.windowMs = 1000 * minuteMs
            $0.alert.renotifyEveryMs = AlertStory.hourMs
        }
    }

    @Test func `what fires beneath a silence is told when that ends, and not an hour later`() {
        var story = Self.endless()
        story.silence(forMin: 30, atMin: 1)
        #expect(story.fail(atMin: 2) == ["2 crossed (silenced)"])
        #expect(story.alert?.hiding == .silenced(by: "3-0"))
        #expect(story.pass(toMin: 100) == ["31 unsilenced", "91 reminded"])
    }

    @Test func `one code is silenced, the others aren't`() {
        var story = Self.endless()
        story.silence(forMin: 30, atMin: 1)
        #expect(story.fail("2", atMin: 2) == ["2 crossed"])
        #expect(story.fail("1", atMin: 3) == ["3 crossed (silenced)"])
        let silence = story.state.alertBook.silences.first
        #expect(silence.map { story.state.alerts(coveredBy: $0).map(\.group.last?.value) } == ["1"])
    }

    @Test func `a silence of what is told already keeps reminders, and its end is told all the same`() {
        var story = AlertStory { $0.alert.renotifyEveryMs = Self.minuteMs }
        story.fail(atMin: 1)
        #expect(story.silence(forMin: 500, atMin: 1).isEmpty)
        #expect(story.pass(toMin: 100) == ["21 subsided"], "whoever was told that it fires")
        #expect(story.fail(atMin: 101) == ["101 crossed (silenced)"])
        #expect(story.pass(toMin: 200) == ["121 subsided (neverTold)"], "whoever wasn't")
    }

    @Test func `a person ends it, and two of them hide until both are over`() {
        var story = Self.endless()
        story.silence(forMin: 30, atMin: 1)
        story.silence([AlertMatcher(name: "rule", value: "watch")], forMin: 60, atMin: 1)
        story.fail(atMin: 2)
        #expect(story.command(.expire(silence: "3-0"), atMin: 5).isEmpty)
        #expect(story.alert?.hiding == .silenced(by: "4-0"))
        #expect(story.command(.expire(silence: "4-0"), atMin: 6) == ["6 unsilenced"])
        #expect(story.command(.expire(silence: "4-0"), atMin: 6).isEmpty)
        #expect(story.state.lastAlertAnswer == .failure(.unknownSilence))
    }

    @Test func `until resolved: it ends with what it hid, and no earlier`() {
        var story = AlertStory()
        story.silence(forMin: 1000, untilResolved: true, atMin: 1)
        story.pass(toMin: 60)
        #expect(story.state.alertBook.silences.count == 1, "it has hidden nothing yet")
        story.fail(atMin: 61)
        #expect(story.pass(toMin: 80).isEmpty)
        #expect(story.state.alertBook.silences.count == 1)
        #expect(story.pass(toMin: 81) == ["81 subsided (neverTold)"])
        #expect(story.state.alertBook.silences.isEmpty)
        #expect(story.fail(atMin: 82) == ["82 crossed"], "what comes next is told")
    }

    @Test func `until resolved has an end besides`() {
        var story = Self.endless()
        story.fail(atMin: 1)
        story.silence(forMin: 10, untilResolved: true, atMin: 2)
        #expect(story.pass(toMin: 20) == ["12 unsilenced"])
        #expect(story.state.alertBook.silences.isEmpty)
    }

    @Test func `of what somebody looks after nobody is told again when a silence ends`() {
        var story = Self.endless()
        story.fail(atMin: 1)
        story.silence(forMin: 10, atMin: 2)
        story.acknowledge(forMin: 60, atMin: 3)
        #expect(story.pass(toMin: 100) == ["12 unsilenced (acknowledged)", "63 unacknowledged"])
    }

    @Test func `a warning can be silenced, and the alert that comes of it then isn't`() {
        var story = AlertStory {
            $0.threshold = 10
            $0.alert.warnAtPercent = 50
        }
        story.silence([AlertMatcher(name: "severity", value: "warning")], forMin: 100, atMin: 1)
        #expect(story.fail(times: 5, atMin: 2) == ["2 warned (silenced)"])
        #expect(story.fail(times: 5, atMin: 3) == ["3 crossed"])
    }

    // MARK: Bounds

    @Test func `a silence always ends, within seven days`() {
        var story = AlertStory()
        let days: Int64 = 7 * 1440
        let rows: [(Int64, Result<String, AlertRefusal>)] = [
            (0, .failure(.endsInPast)), (-5, .failure(.endsInPast)), (days + 1, .failure(.endsTooLate)),
            (days, .success("6-0")),
        ]
        for (minutes, answer) in rows {
            story.silence(forMin: minutes, untilResolved: true, atMin: 1)
            #expect(story.state.lastAlertAnswer == answer)
        }
        #expect(story.state.alertBook.silences.map(\.startsAt) == [Timestamp(milliseconds: Self.minuteMs)])
        let request = SilenceRequest(
            matchers: [AlertMatcher(name: "rule", value: "watch")],
            end: .at(Timestamp(milliseconds: 2 * Self.minuteMs)),
            comment: ""
        )
        story.command(.silence(request), atMin: 2)
        #expect(story.state.lastAlertAnswer == .failure(.endsInPast), "by the time of receipt")
    }

    @Test func `there are a thousand at most, and one needs something to go by`() {
        var story = AlertStory()
        for _ in 0..<Silence.maximumCount { story.silence(forMin: 10, atMin: 1) }
        story.silence(forMin: 10, atMin: 1)
        #expect(story.state.lastAlertAnswer == .failure(.tooManySilences))
        story.pass(toMin: 11)
        #expect(story.state.alertBook.silences.isEmpty)
        story.silence([], forMin: 10, atMin: 12)
        #expect(story.state.lastAlertAnswer == .failure(.noMatchers))
    }

    private static let matchers: [Row<(AlertMatcher, Bool)>] = [
        Row("its rule", (AlertMatcher(name: "rule", value: "watch"), true)),
        Row("another rule", (AlertMatcher(name: "rule", value: "wat"), false)),
        Row("not another rule", (AlertMatcher(name: "rule", comparison: .unequal, value: "wat"), true)),
        Row("its severity", (AlertMatcher(name: "severity", value: "critical"), true)),
        Row("its environment", (AlertMatcher(name: "environment", value: "production"), true)),
        Row("its code", (AlertMatcher(name: "error.code", value: "1"), true)),
        Row("not its code", (AlertMatcher(name: "error.code", comparison: .unequal, value: "1"), false)),
        Row("what it doesn't have", (AlertMatcher(name: "region", value: "CN"), false)),
        Row("not what it doesn't have", (AlertMatcher(name: "region", comparison: .unequal, value: "CN"), false)),
    ]

    @Test(arguments: matchers)
    func `a matcher fits what it says`(row: Row<(AlertMatcher, Bool)>) throws {
        var story = AlertStory()
        story.fail(atMin: 1)
        let alert = try #require(story.alert)
        #expect(row.value.0.fits(alert) == row.value.1)
    }

    @Test func `silences and what they hide survive a restart`() throws {
        var story = Self.endless()
        story.silence(forMin: 30, atMin: 1)
        story.fail(atMin: 2)
        #expect(try story.restart(atMin: 20).isEmpty)
        #expect(story.state.alertBook.silences.map(\.id) == ["3-0"])
        #expect(story.pass(toMin: 40) == ["31 unsilenced"])
        var late = Self.endless()
        late.silence(forMin: 30, atMin: 1)
        late.fail(atMin: 2)
        #expect(try late.restart(atMin: 50).isEmpty)
        #expect(late.pass(toMin: 60) == ["50m30000ms unsilenced"])
    }

    // MARK: History

    @Test func `the last thousand that ended are remembered, over a restart too`() throws {
        var story = AlertStory { $0.groupBy = [.errorCode] }
        for number in 0..<1_005 { story.scenario.fail("\(number)", times: 3, fromMs: Int64(number)) }
        story.pass(toMin: 60)
        let codes = story.state.alertBook.ended.map { $0.group.last?.value }
        #expect(codes.count == AlertBook.maximumEnded)
        #expect(codes.first == "5" && codes.last == "1004")
        try story.scenario.restart()
        #expect(story.state.alertBook.ended.map { $0.group.last?.value } == codes)
        let id = try #require(story.state.alertBook.ended.last?.id)
        #expect(story.state.alert(id)?.endsAt != nil)
    }
}
