import Foundation
import ShuntCore
import ShuntSchema
import Testing

/// What users of circuit breakers reported to have gone wrong, and the test of each.
///
/// The numbers and threads are those of the list of lessons that the switch was designed from, its part on the state
/// machine of breakers. A test that is renamed or removed is missed here.
@Suite struct LessonsTests {
    struct Lesson: Sendable, CustomTestStringConvertible {
        let number: Int
        let threads: String
        let lesson: String
        let tests: [String]

        init(_ number: Int, _ threads: String, _ lesson: String, _ tests: String...) {
            self.number = number
            self.threads = threads
            self.lesson = lesson
            self.tests = tests
        }

        var testDescription: String { "\(number) \(threads): \(lesson)" }
    }

    private static let lessons: [Lesson] = [
        Lesson(
            54,
            "alibaba/Sentinel#1638",
            "half-open has a deadline",
            "a probe has a deadline, and what no evidence means is a setting",
            "a step without evidence waits for it until its deadline"
        ),
        Lesson(
            55,
            "alibaba/Sentinel#2136",
            "rules have names of their own",
            "an id in two files is a problem that names the first place"
        ),
        Lesson(
            56,
            "alibaba/Sentinel#154, #552, #525",
            "what failed before it closed doesn't open it again",
            "after a restore the switch trips again only with a hundred new failures",
            "a rule's guard stays live while a switch recovers, and looks at new failures only",
            "after a restore a share needs new failures"
        ),
        Lesson(
            57,
            "alibaba/Sentinel#308, #1121",
            "each rule has its own window",
            "a rule for little traffic sees through a whole day what one for much traffic never does"
        ),
        Lesson(
            58,
            "alibaba/Sentinel#128",
            "a share of 100 per cent is reached by 100 per cent",
            "every share from 1 to 100 per cent fires exactly where it is reached"
        ),
        Lesson(
            59,
            "resilience4j#903, #935",
            "probes expire, and nothing is lent that must come back",
            "a probe has a deadline, and what no evidence means is a setting",
            "those who try and never report hold up nobody"
        ),
        Lesson(
            60,
            "resilience4j#2289, #2028",
            "what no evidence means is said",
            "a probe has a deadline, and what no evidence means is a setting"
        ),
        Lesson(
            61,
            "resilience4j#347, #2093",
            "without traffic it doesn't stay open unheard",
            "silence never restores, and after three probes without evidence a person is asked"
        ),
        Lesson(
            62,
            "resilience4j#991",
            "timers carry a generation",
            "a timer that was set under another version is dropped"
        ),
        Lesson(
            63,
            "resilience4j#674, #1432, #343, #597",
            "one actor takes every step, and only those of the table",
            "every step is one of the table's, and locked is left by a person only",
            "the tables have every pair once",
            "many threads submit at once, and each event counts once"
        ),
        Lesson(
            64,
            "resilience4j#1756",
            "a person's decision is everybody's",
            "an override decides for everybody until it ends by itself",
            "an override of the whole beats a slice's machine, one of a slice beats that of the whole"
        ),
        Lesson(
            65,
            "resilience4j#2146, #419",
            "a restart keeps the state",
            "keeps a tripped switch tripped, byte for byte",
            "a restart makes no switch less safe, however long the daemon was away",
            "a restart keeps an override, and ends none before half a minute has passed"
        ),
        Lesson(
            66,
            "resilience4j#2034",
            "the loop that evaluates is looked after",
            "the thread wakes by itself when a deadline comes",
            "health follows the last commit"
        ),
        Lesson(
            67,
            "sony/gobreaker#21, #64",
            "windows slide",
            "a window equals a naive recount at every step",
            "a share equals a naive recount at every event"
        ),
        Lesson(
            68,
            "apache/apisix#12765, #13764",
            "and don't tumble",
            "an event exactly one window old is out, one millisecond younger is in",
            "a failure exactly five minutes old is out, one millisecond younger is in"
        ),
        Lesson(
            69,
            "gofiber/contrib#1990",
            "time passes without events too",
            "a deadline with no traffic is journaled as a tick, and nothing is due before it",
            "a share that rises because successes grow old fires without another event"
        ),
        Lesson(
            70,
            "nodeshift/opossum#119, #276, #385, #484",
            "half-open isn't flooded, and a few failures open it again whatever the volume",
            "installs outside the share aren't heard",
            "five failures from three installs end a probe, and four or two installs don't"
        ),
        Lesson(
            71,
            "nodeshift/opossum#613, connor4312/cockatiel#73, Polly#2381, Hystrix#1739",
            "one probe isn't enough",
            "one success isn't enough: thirty attempts are",
            "a few failures among many attempts are no bad probe"
        ),
        Lesson(
            72,
            "Netflix/Hystrix#1647",
            "closing is a ramp",
            "from trip to normal by way of a probe and a ramp, a version each",
            "a step of the ramp lasts its time, however well it goes",
            "an install keeps its answer while a switch recovers, and those who try only become more"
        ),
        Lesson(
            73,
            "Netflix/Hystrix#1704",
            "it doesn't flap",
            "for a minute after it became normal by itself no rule trips it, then the next failure does",
            "the third trip within an hour locks, and only a person unlocks",
            "trips an hour apart don't lock"
        ),
        Lesson(
            74,
            "Netflix/Hystrix#1350, Polly#223, #219",
            "what began before the step says nothing about it",
            "what proves nothing about those who try isn't heard",
            "the trip is told once, by the event that crosses"
        ),
        Lesson(
            75,
            "Polly#653, #1895",
            "it stays open longer each time",
            "cool-downs double up to the longest, each within a tenth of its length",
            "failures send a ramp back, to a longer cool-down",
            "a level is forgotten hour by hour while all is well"
        ),
        Lesson(
            76,
            "Polly#215, #259, #287",
            "no single device decides",
            "a hundred public reports of nineteen installs don't trip, and one of a twentieth does",
            "a window with a cap for each owner equals a naive recount",
            "five failures of three installs end a probe when they are trusted, else of six",
            "ten installs restore when they are trusted, and nineteen that aren't don't"
        ),
        Lesson(
            77,
            "Listenarrs/Listenarr#867, #868",
            "each switch stands for itself",
            "a trip of one switch leaves every other one alone",
            "what happens in the sandbox never moves production"
        ),
        Lesson(
            78,
            "Tr3kkR/Yuzu#3018",
            "one success doesn't let everybody back",
            "one success isn't enough: thirty attempts are",
            "from trip to normal by way of a probe and a ramp, a version each"
        ),
        Lesson(
            79,
            "exaring/hoglet#25, #28",
            "the wall clock may jump, and settings aren't cut in silence",
            "it never goes back, and keeps the pace within a tenth",
            "a monotonic clock that seems to go back stands still",
            "an entry that claims to be earlier than the last one pins nothing"
        ),
        Lesson(
            80,
            "davenverse/circuit#253",
            "what is shown is a time of day",
            "it comes to the wall clock within ten times the error, and stays there"
        ),
        Lesson(
            81,
            "envoyproxy/envoy#26877, #27066, #27909, #34796",
            "the limit is judged after the step",
            "a limit holds back what would go beyond it, judged after the trip",
            "the blast radius is that after the flip"
        ),
        Lesson(
            82,
            "envoyproxy/envoy#2671, istio#20135, #8846",
            "a guard that holds something back says so",
            "each condition that holds a rule back is named",
            "the decision reaches the alert",
            "payers aren't moved to a route where more than half fail as well"
        ),
        Lesson(
            83,
            "envoyproxy/envoy#40697",
            "the second trip is like the first",
            "the second trip needs what the first one needed"
        ),
    ]

    @Test func `each of the thirty has a row`() {
        #expect(Self.lessons.map(\.number) == Array(54...83))
    }

    /// The names of all tests of the package.
    private static let names: Result<Set<String>, any Error> = Result {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        var names: Set<String> = []
        for suite in try FileManager.default.contentsOfDirectory(at: tests, includingPropertiesForKeys: nil) {
            let files = try? FileManager.default.contentsOfDirectory(at: suite, includingPropertiesForKeys: nil)
            for file in files ?? [] where file.pathExtension == "swift" {
                for part in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "func `").dropFirst()
                {
                    names.insert(String(part.prefix { $0 != "`" }))
                }
            }
        }
        return names
    }

    @Test(arguments: lessons)
    func `its tests are there`(lesson: Lesson) throws {
        let names = try Self.names.get()
        #expect(!lesson.tests.isEmpty)
        for test in lesson.tests { #expect(names.contains(test), "\(test)") }
    }

    // MARK: Tests that stand nowhere else

    @Test func `a rule for little traffic sees through a whole day what one for much traffic never does`() {
        var ruleSet = RuleSet.builtIn
        var slow = ruleSet.rules[0]
        slow.id = "slow"
        slow.threshold = 20
        slow.alert.resolveBelow = 1
        slow.windowMs = 24 * 3_600_000
        ruleSet.rules.append(slow)
        var scenario = Scenario(ruleSet)
        scenario.fail(times: 19, everyMs: 3_600_000)
        #expect(scenario.variant() == "native")
        scenario.fail(times: 1, fromMs: 19 * 3_600_000)
        #expect(scenario.variant() == "web")
        #expect(scenario.state.openAlerts.map(\.rule) == ["slow"])
    }

    @Test(arguments: 1...100)
    func `every share from 1 to 100 per cent fires exactly where it is reached`(percent: Int) {
        // Of a hundred attempts so many fail, the last one among them: one fewer doesn't fire.
        for (failures, fires) in [(percent - 1, false), (percent, true)] where failures > 0 {
            var ruleSet = RuleSet.builtIn
            ruleSet.rules[0].kind = .share(percent: percent, attempts: 100)
            ruleSet.rules[0].groupBy = []
            ruleSet.rules[0].threshold = 1
            ruleSet.rules[0].alert.resolveBelow = 1
            var scenario = Scenario(ruleSet)
            // A share is known where attempts are reported.
            for number in 0..<100 {
                var event = number < 100 - failures ? PaymentEvent(outcome: .succeeded) : PaymentEvent.failure("8771")
                if failures == 100, number == 0 { event = PaymentEvent(outcome: .attempted) }
                event.attemptId = "attempt-\(number)"
                scenario.apply(.event(event))
                guard failures == 100, number == 0 else { continue }
                var failure = PaymentEvent.failure("8771")
                failure.attemptId = event.attemptId
                scenario.apply(.event(failure))
            }
            #expect((scenario.variant() == "web") == fires, "\(failures) of 100")
        }
    }

    @Test func `those who try and never report hold up nobody`() {
        var scenario = RecoveryScenario()
        scenario.coolDown()
        let installs = scenario.cohort(60)
        // Half of them begin and are never heard of again.
        scenario.pay(Array(installs[..<30])) { $0.outcome = .attempted }
        #expect(scenario.phase == .probing)
        scenario.pay(Array(installs[30...]))
        #expect(scenario.phase == .ramping)
    }

    @Test func `a trip of one switch leaves every other one alone`() {
        var ruleSet = RuleSet.builtIn
        var other = ruleSet.rules[0]
        other.id = "other"
        other.match = [Condition(.errorDomain, .oneOf(["card"]))]
        other.trip = Trip(switchKey: "card")
        ruleSet.rules[0].match = [Condition(.errorDomain, .oneOf(["verify"]))]
        ruleSet.rules.append(other)
        ruleSet.switches.append(
            SwitchDefinition(key: "card", normalVariant: "form", degradedVariant: "hosted")
        )
        var scenario = Scenario(ruleSet)
        func variants() -> [String] { scenario.state.document(environment: "production").switches.map(\.variant) }
        scenario.fail(times: 100)
        #expect(variants() == ["web", "form"])
        scenario.command(.trip, key: "card")
        scenario.command(.restore)
        #expect(variants() == ["native", "hosted"])
        #expect(scenario.effects.moves.map(\.key) == ["apple-pay", "card", "apple-pay"])
    }

    @Test func `an entry that claims to be earlier than the last one pins nothing`() {
        var scenario = RecoveryScenario()
        scenario.apply(.event(PaymentEvent(outcome: .attempted)), atMs: 200_000)
        let due = scenario.story.state.nextDeadline
        scenario.apply(.event(PaymentEvent(outcome: .attempted)), atMs: -1_000_000_000)
        #expect(scenario.story.state.at == Timestamp(milliseconds: 200_000))
        #expect(scenario.story.state.nextDeadline == due)
        scenario.apply(.tick, atMs: RecoveryScenario.cooledMs)
        #expect(scenario.phase == .probing)
    }
}
