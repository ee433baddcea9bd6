internal import ShuntCore
internal import ShuntSchema

/// One test's way through the same fold that live traffic goes through, with a clock that the test sets.
struct RuleTestRun {
    /// A full minute, since attempts without a name are counted by the minute.
    static let start = Timestamp(milliseconds: 1_767_225_600_000)

    private(set) var state = State()
    private(set) var moves: [SwitchTransition] = []
    private(set) var tallies: RuleTestTallies
    private var seq: UInt64 = 0
    private var eventCount = 0

    let subjects: Set<String>

    private init(ruleSet: RuleSet, subjects: Set<String>) {
        self.subjects = subjects
        tallies = RuleTestTallies(ruleSet)
        apply(.founded(epoch: "test"), at: Self.start)
        apply(.configured(ruleSet), at: Self.start)
    }

    static func result(of test: RuleTest, with ruleSet: RuleSet) -> RuleTestResult {
        var run = RuleTestRun(ruleSet: ruleSet, subjects: test.subjects)
        let moments = moments(of: test.steps)
        var next = moments.startIndex
        var failures: [RuleTestFailure] = []
        for expectation in test.expectations {
            // An expectation sees what was received at its own time.
            while next < moments.endIndex, moments[next].atMs <= expectation.atMs {
                run.perform(test.steps[moments[next].step], moments[next])
                next += 1
            }
            run.advance(to: Self.start.advanced(byMs: expectation.atMs))
            if let failure = run.failure(of: expectation) { failures.append(failure) }
        }
        return RuleTestResult(
            name: test.name,
            file: test.file,
            line: test.line,
            eventCount: run.eventCount,
            expectationCount: test.expectations.count,
            failures: failures
        )
    }

    // MARK: Time

    private struct Moment {
        var atMs: Int64
        var step: Int
        var number: Int
    }

    /// Everything that happens, by time; at the same time in the order of the file.
    private static func moments(of steps: [RuleTestStep]) -> [Moment] {
        let moments = steps.enumerated().flatMap { index, step in
            (0..<step.times).map { Moment(atMs: step.atMs + Int64($0) * step.everyMs, step: index, number: $0) }
        }
        return moments.sorted { ($0.atMs, $0.step, $0.number) < ($1.atMs, $1.step, $1.number) }
    }

    private mutating func perform(_ step: RuleTestStep, _ moment: Moment) {
        let at = Self.start.advanced(byMs: moment.atMs)
        advance(to: at)
        switch step.kind {
        case .command(let command):
            apply(.command(command), at: at)
        case .events(let events):
            let event = events.event(moment.number, ofStep: moment.step, at: at)
            apply(.event(event), at: at)
            eventCount += 1
            tallies.note(event, meaning: state.lastClassification, at: at)
        }
    }

    /// Lets time pass, with a tick at each deadline, as the daemon's own clock gives them.
    private mutating func advance(to end: Timestamp) {
        while state.isDue(at: end), let due = state.nextDeadline, due <= end { apply(.tick, at: due) }
    }

    private mutating func apply(_ input: Input, at: Timestamp) {
        seq += 1
        for effect in state.apply(Entry(seq: seq, at: at, input: input)) {
            if case .switchMoved(let transition) = effect.kind { moves.append(transition) }
        }
    }
}
