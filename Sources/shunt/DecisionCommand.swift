import ShuntNative
import ShuntSchema
import ShuntServer

/// `shunt explain --version`.
enum DecisionCommand {
    private static let barWidth = 40

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        for name in ["--domain", "--environment", "--stage"] where options.isGiven(name) {
            throw CommandFailure(.usage, "\(name) goes with a code, not with --version")
        }
        if let code = options.arguments.first {
            throw CommandFailure(.usage, "unexpected argument \(code.visible); expected a code or --version, not both")
        }
        let version = try options.integer("--version", minimum: 1) ?? 1
        let replay = DecisionReplay(dataPath: options["--data"] ?? "shunt-data", version: UInt64(version))
        var meter = ProgressMeter()
        do throws(DecisionReplayError) {
            let report = try replay.run { progress in meter.show(line(progress)) }
            meter.clear()
            let style = TextStyle(isColoured: StandardStream.output.isTerminal)
            StandardStream.output.write(options.has("--json") ? json(report) : DecisionText(report, style: style).text)
            return report.isSame ? .success : .failure
        } catch {
            meter.clear()
            switch error {
            case .unknownVersion(_, _, _, let stored?), .daysRemoved(_, _, let stored?):
                StandardStream.output.write(DecisionText.stored(stored))
            default: break
            }
            throw CommandFailure(.failure, error.description)
        }
    }

    /// E.g. `[########--------] 52 %, 2026-11-28`.
    private static func line(_ progress: DecisionReplay.Progress) -> String {
        guard let share = progress.share else { return "replaying \(progress.at.dateText)" }
        let full = Int(share * Double(barWidth))
        let bar = String(repeating: "#", count: full) + String(repeating: "-", count: barWidth - full)
        return "[\(bar)] \(Int(share * 100)) %, \(progress.at.dateText)"
    }

    private static func json(_ report: DecisionReport) -> String {
        var writer = JSONWriter(capacity: 4096)
        report.write(to: &writer)
        writer.endLine()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
