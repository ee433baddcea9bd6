import ShuntCore
import ShuntSchema

/// A switch that was tripped at time 0 and recovers by probes, and the payers around it.
struct RecoveryScenario {
    static let fiveMinMs: Int64 = 300_000
    /// Later than the first cool-down, whatever the episode's hash adds.
    static let cooledMs: Int64 = 331_000

    var story: Scenario
    private var attempts = 0

    /// The built-in rule and switch; `change` sets what is otherwise.
    init(trips: Bool = true, _ change: (inout RuleSet) -> Void = { _ in }) {
        var ruleSet = RuleSet.withoutReminders
        ruleSet.switches[0].recovery = RecoveryPolicy(mode: .probe)
        ruleSet.switches[0].flapLock = FlapLock()
        change(&ruleSet)
        story = Scenario(ruleSet)
        if trips { trip() }
    }

    var machine: SwitchMachine? { story.state.switches.machine(of: "apple-pay", in: Self.production) }
    var state: SwitchState { machine?.state ?? .normal }
    var phase: SwitchPhase { state.phase }
    var nowMs: Int64 { story.nowMs }
    var status: SwitchStatus? { story.state.document(environment: "production").switches.first }
    static let production = Scope(environment: "production")

    @discardableResult
    mutating func trip() -> [Effect] { story.fail(times: 100) }

    /// Lets time pass until that many milliseconds after the last entry.
    @discardableResult
    mutating func wait(_ ms: Int64) -> [Effect] {
        story.apply(.tick, atMs: nowMs + ms)
    }

    @discardableResult
    mutating func apply(_ input: Input, atMs: Int64? = nil) -> [Effect] { story.apply(input, atMs: atMs ?? nowMs) }

    @discardableResult
    mutating func command(_ action: SwitchCommand.Action, _ scope: Scope = production) -> [Effect] {
        story.command(action, scope, atMs: nowMs)
    }

    /// The first so many installs that the document sends the normal way.
    func cohort(_ count: Int, sentTo variant: String = "native") -> [String] {
        guard let status else { return [] }
        var found: [String] = []
        var number = 0
        while found.count < count, number < 1_000_000 {
            number += 1
            let name = "install-\(number)"
            if status.decision(for: ["installId": name]).variant == variant { found.append(name) }
        }
        return found
    }

    /// An event of an install under the present version.
    mutating func event(_ install: String, fails: Bool = false) -> PaymentEvent {
        attempts += 1
        var event = fails ? PaymentEvent.failure("8771") : PaymentEvent(outcome: .succeeded)
        event.installId = install
        event.attemptId = "probe-\(attempts)"
        event.switchVersion = story.state.switches.version
        return event
    }

    /// One attempt of each install.
    @discardableResult
    mutating func pay(_ installs: [String], fails: Bool = false, _ change: (inout PaymentEvent) -> Void = { _ in })
        -> [Effect]
    {
        var effects: [Effect] = []
        for install in installs {
            var event = event(install, fails: fails)
            change(&event)
            effects += apply(.event(event))
        }
        return effects
    }

    /// Goes on until probing.
    mutating func coolDown() {
        while phase == .degraded, let next = story.state.switches.nextDeadline {
            apply(.tick, atMs: next.milliseconds)
        }
    }

    /// Goes on until ramping.
    mutating func probeWell() {
        coolDown()
        pay(cohort(30))
    }

    /// Goes on until normal.
    mutating func recover() {
        probeWell()
        while phase == .ramping {
            pay(cohort(40))
            wait(120_000)
        }
    }
}
