import ShuntCore
import ShuntSchema

/// A story about the alerts of one rule that trips nothing: three attempts within ten minutes, over when below two for
/// ten minutes.
struct AlertStory {
    static let minuteMs: Int64 = 60_000
    static let hourMs: Int64 = 60 * minuteMs

    static let rule = Rule(
        id: "watch",
        description: "An error code",
        groupBy: [.errorCode],
        count: .attempts,
        threshold: 3,
        windowMs: 10 * minuteMs,
        alert: AlertPolicy(severity: .critical, resolveBelow: 2, holdForMs: 10 * minuteMs)
    )

    var scenario: Scenario

    init(_ change: (inout Rule) -> Void = { _ in }) {
        var rule = Self.rule
        change(&rule)
        scenario = Scenario(RuleSet(rules: [rule], switches: []))
    }

    var state: State { scenario.state }

    /// The one alert that is open.
    var alert: Alert? { state.openAlerts.first }

    /// So many attempts fail.
    @discardableResult
    mutating func fail(_ code: String = "1", times: Int = 3, atMin: Int64) -> [String] {
        scenario.fail(code, times: times, fromMs: atMin * Self.minuteMs).alertLines
    }

    /// Time passes, and whatever is due is done at its own time.
    @discardableResult
    mutating func pass(toMin minutes: Int64) -> [String] {
        let end = Timestamp(milliseconds: minutes * Self.minuteMs)
        var lines: [String] = []
        while let due = state.nextDeadline, due <= end {
            lines += scenario.apply(.tick, atMs: due.milliseconds).alertLines
        }
        return lines + scenario.apply(.tick, atMs: end.milliseconds).alertLines
    }

    @discardableResult
    mutating func command(_ action: AlertCommand.Action, atMin: Int64) -> [String] {
        let command = AlertCommand(action: action, actor: "mei")
        return scenario.apply(.alertCommand(command), atMs: atMin * Self.minuteMs).alertLines
    }

    /// Somebody takes the open alert.
    @discardableResult
    mutating func acknowledge(forMin: Int64 = 60, atMin: Int64) -> [String] {
        let action = AlertCommand.Action.acknowledge(
            alert: alert?.id ?? "",
            note: "looking",
            forMs: forMin * Self.minuteMs
        )
        return command(action, atMin: atMin)
    }

    @discardableResult
    mutating func silence(
        _ matchers: [AlertMatcher] = [AlertMatcher(name: "error.code", value: "1")],
        forMin: Int64,
        untilResolved: Bool = false,
        atMin: Int64
    ) -> [String] {
        let request = SilenceRequest(
            matchers: matchers,
            end: .after(ms: forMin * Self.minuteMs),
            isUntilResolved: untilResolved,
            comment: "maintenance"
        )
        return command(.silence(request), atMin: atMin)
    }

    /// The state goes through its bytes, as at a restart, and the daemon says that it started.
    mutating func restart(atMin: Int64) throws -> [String] {
        try scenario.restart()
        return scenario.apply(.started, atMs: atMin * Self.minuteMs).alertLines
    }
}

extension [Effect] {
    /// A line a change of an alert: `61 reminded`, in minutes, or with the reason why nobody is told.
    var alertLines: [String] {
        alertChanges.map { change in
            let (minutes, rest) = change.at.milliseconds.quotientAndRemainder(dividingBy: 60_000)
            let time = rest == 0 ? "\(minutes)" : "\(minutes)m\(rest)ms"
            return "\(time) \(change.input.rawValue)" + (change.untold.map { " (\($0.name))" } ?? "")
        }
    }
}
