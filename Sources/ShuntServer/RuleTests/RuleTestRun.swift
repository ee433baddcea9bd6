internal import ShuntCore
internal import ShuntSchema

/// One test's way through the same fold that live traffic goes through, with a clock that the test sets.
struct RuleTestRun {
    /// A full minute, since attempts without a name are counted by the minute.
    static let start = Timestamp(milliseconds: 1_767_225_600_000)

    private(set) var state = State()
    private(set) var moves: [SwitchTransition] = []
    /// What people were told of the test's rules.
    private(set) var notifications: [AlertChange] = []
    private(set) var tallies: RuleTestTallies
    private var seq: UInt64 = 0
    private var eventCount = 0
    private var cohort: Cohort?

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
            let trying = trying(events)
            var event = events.event(moment.number, ofStep: moment.step, at: at) { number in
                trying.isEmpty ? "install-\(number + 1)" : trying[number % trying.count]
            }
            // As every app does, it says which version it knows.
            if event.installId != nil, event.switchVersion == nil {
                event.switchVersion = state.switches.version(for: event.environment)
            }
            apply(.event(event), at: at)
            eventCount += 1
            tallies.note(event, meaning: state.lastClassification, at: at)
        }
    }

    /// The installs that a switch lets try the normal way now, where the events are of such; empty where it lets nobody.
    private mutating func trying(_ events: RuleTestEvents) -> [String] {
        guard let key = events.tries, let installs = events.installs else { return [] }
        let environment = events.event.environment
        let version = state.switches.version(for: environment)
        if let known = cohort, known.version == version, known.key == key, known.names.count == installs {
            return known.names
        }
        let status = state.document(environment: environment).switches.first { $0.key == key }
        var names: [String] = []
        if let status, status.percent != nil {
            for number in 1...Self.mostInstalls where names.count < installs {
                let name = "install-\(number)"
                if status.decision(for: ["installId": name]).variant == status.normalVariant { names.append(name) }
            }
        }
        cohort = Cohort(key: key, version: version, names: names)
        return names
    }

    /// More names are not looked through for those who try.
    private static let mostInstalls = 1_000_000

    /// Those who try the normal way, as they were found last.
    private struct Cohort {
        var key: String
        var version: UInt64
        var names: [String]
    }

    /// Lets time pass, with a tick at each deadline, as the daemon's own clock gives them.
    private mutating func advance(to end: Timestamp) {
        while state.isDue(at: end), let due = state.nextDeadline, due <= end { apply(.tick, at: due) }
    }

    private mutating func apply(_ input: Input, at: Timestamp) {
        seq += 1
        for effect in state.apply(Entry(seq: seq, at: at, input: input)) {
            switch effect.kind {
            case .switchMoved(let transition): moves.append(transition)
            case .alertChanged(let change):
                if change.untold == nil, subjects.contains(change.alert.rule) { notifications.append(change) }
            }
        }
    }
}
