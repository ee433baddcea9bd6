import ShuntCore
import ShuntNative
import ShuntSchema
import ShuntServer

/// `shunt rules backtest`.
enum BacktestCommand {
    private static let barWidth = 40

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        if options.arguments.count > 1 {
            let argument = options.arguments[1]
            throw CommandFailure(.usage, "unexpected argument \(argument); expected --rules \(argument)")
        }
        guard !options.has("--junit") else { throw CommandFailure(.usage, "--junit is an option of rules test") }
        let now = Timestamp(milliseconds: SystemClock.wallMilliseconds)
        let since = try start(options["--since"] ?? "7d", before: now)
        let folder = options["--rules"] ?? "rules"
        // Bad rules are listed as `rules check` lists them.
        let check = RulesReport(folder: folder)
        guard check.isGood, let ruleSet = check.ruleSet else {
            StandardStream.output.write(options.has("--json") ? check.json : check.text)
            return .failure
        }
        let backtest = Backtest(
            dataPath: options["--data"] ?? "shunt-data",
            ruleSet: ruleSet,
            since: since,
            now: now
        )
        var meter = ProgressMeter()
        do throws(BacktestError) {
            let report = try backtest.run { progress in meter.show(line(progress)) }
            meter.clear()
            StandardStream.output.write(options.has("--json") ? json(report) : BacktestText(report, folder).text)
            return .success
        } catch {
            meter.clear()
            throw CommandFailure(.failure, error.description)
        }
    }

    private static func start(_ text: String, before now: Timestamp) throws(CommandFailure) -> Timestamp {
        guard let since = Backtest.start(text, before: now) else {
            let meant = Backtest.suggestion(for: text).map { "; did you mean \($0)?" } ?? ""
            let expected = "expected a duration such as 7d, 12h or 30m, or a time such as 2026-11-24T00:00:00Z"
            throw CommandFailure(.usage, "--since \(text.visible): \(expected)\(meant)")
        }
        guard since < now else { throw CommandFailure(.usage, "--since \(text.visible): expected a time in the past") }
        return since
    }

    /// E.g. `[########--------] 52 %, 2026-11-28`.
    private static func line(_ progress: Backtest.Progress) -> String {
        guard let share = progress.share else { return "reading \(progress.at.dateText)" }
        let full = Int(share * Double(barWidth))
        let bar = String(repeating: "#", count: full) + String(repeating: "-", count: barWidth - full)
        return "[\(bar)] \(Int(share * 100)) %, \(progress.at.dateText)"
    }

    private static func json(_ report: BacktestReport) -> String {
        var writer = JSONWriter()
        report.write(to: &writer)
        writer.endLine()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
