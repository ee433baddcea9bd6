import ShuntCore
import TestSupport

/// Ways to break the other shipped rules.
extension RuleTestShippedTests {
    private static func row(
        _ rule: String,
        _ name: String,
        seenBy: String...,
        change: @escaping @Sendable (inout Rule) -> Void
    ) -> Row<Mutation> {
        Row("\(rule): \(name)", Mutation(of: rule, seenBy: seenBy, change))
    }

    static let otherMutations: [Row<Mutation>] = [
        row("error-code-burst", "the other route is never bad", seenBy: "payers aren't moved to the web") {
            $0.require.webShare = 100
        },
        row("error-code-burst", "no trip", seenBy: "failures of payers who are on the web") { $0.trip = nil },
        row("fast-code", "threshold 4", seenBy: "a broken set-up trips") { $0.threshold = 4 },
        row("fast-code", "threshold 6", seenBy: "a broken set-up trips") { $0.threshold = 6 },
        row("fast-code", "2 installs", seenBy: "a broken set-up on two phones") { $0.require.installs = 2 },
        row("fast-code", "4 installs", seenBy: "a broken set-up on two phones") { $0.require.installs = 4 },
        row("fast-code", "no share", seenBy: "a broken set-up of a part") { $0.require.share = nil },
        row("fast-code", "every code", seenBy: "a code that isn't deterministic") { $0.match = [] },
        row("failure-share", "19 attempts, 45 %", seenBy: "half of twenty") {
            $0.kind = .share(percent: 45, attempts: 19)
        },
        row("failure-share", "51 %", seenBy: "half of twenty") { $0.kind = .share(percent: 51, attempts: 20) },
        row("failure-share", "49 %", seenBy: "just under half") { $0.kind = .share(percent: 49, attempts: 20) },
        row("failure-share", "a count", seenBy: "where only failures") { $0.kind = .count },
        row("failure-share", "every failure", seenBy: "the payer's own refusals") {
            $0.match = []
            $0.trip = nil
        },
        row("consecutive-failures", "14", seenBy: "fifteen failures") { $0.threshold = 14 },
        row("consecutive-failures", "16", seenBy: "fifteen failures") { $0.threshold = 16 },
        row("consecutive-failures", "a count", seenBy: "fifteen failures", "where only failures") { $0.kind = .count },
        row("new-code", "4 installs", seenBy: "a code that is new") { $0.threshold = 4 },
        row("new-code", "6 installs", seenBy: "a code that is new") { $0.threshold = 6 },
        row("new-code", "a count", seenBy: "a code that is new") { $0.kind = .count },
        row("no-success", "29", seenBy: "thirty attempts") { $0.kind = .noSuccess(attempts: 29) },
        row("no-success", "31", seenBy: "thirty attempts") { $0.kind = .noSuccess(attempts: 31) },
        row("no-success", "attempts alone", seenBy: "attempts with a success among them") {
            $0.kind = .count
            $0.match = [Condition(.outcome, .oneOf(["attempted"]))]
        },
        row("in-doubt-burst", "9", seenBy: "ten payments in doubt") { $0.threshold = 9 },
        row("in-doubt-burst", "11", seenBy: "ten payments in doubt") { $0.threshold = 11 },
        row("in-doubt-burst", "4 installs", seenBy: "payments in doubt on four") { $0.require.installs = 4 },
        row("in-doubt-burst", "6 installs", seenBy: "payments in doubt on four") { $0.require.installs = 6 },
        row("in-doubt-burst", "unknown codes too", seenBy: "a code that nobody knows") {
            $0.match.removeAll { $0.dimension == .failureClass }
        },
        row("card-testing", "29", seenBy: "thirty risk refusals") { $0.threshold = 29 },
        row("card-testing", "31", seenBy: "thirty risk refusals") { $0.threshold = 31 },
        row("card-testing", "three an install", seenBy: "thirty risk refusals") { $0.maximumPerInstall = 3 },
        row("watchdog", "asleep", seenBy: "the watchdog") { $0.kind = .keyLimit },
    ]
}
