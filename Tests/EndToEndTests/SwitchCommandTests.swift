import Foundation
import Testing

/// `shunt switch`, against the real daemon.
@Suite struct SwitchToolTests {
    private struct Answer {
        let status: Int
        let output: String
        let errors: String
    }

    private func shunt(_ daemon: RunningDaemon, _ words: String...) async throws -> Answer {
        let finished = try await ChildProcess.run(["switch"] + words + ["--url", daemon.url])
        guard case .exit(let status) = finished.end else {
            return Answer(status: -1, output: "", errors: "\(finished)")
        }
        return Answer(status: Int(status), output: finished.output, errors: finished.errors)
    }

    @Test func `an operator overrides, looks, clears, trips and restores, each with a reason`() async throws {
        try await withDaemon { daemon in
            let unreasoned = try await shunt(daemon, "override", "apple-pay", "web")
            #expect(unreasoned.status == 2)
            #expect(unreasoned.errors.contains("--reason"))

            let override = try await shunt(
                daemon,
                "override",
                "apple-pay",
                "web",
                "--for",
                "30m",
                "--scope",
                "region=CN",
                "--reason",
                "bank maintenance"
            )
            #expect(override.status == 0, "\(override.errors)")
            #expect(override.output.contains("payers get web"))
            let shown = try await shunt(daemon, "show", "apple-pay")
            #expect(shown.output.contains("region=CN"))
            #expect(shown.output.contains("bank maintenance"))
            #expect(shown.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
            #expect(try await shunt(daemon, "list").output.contains("apple-pay"))

            // Back to the route that was left needs a word, where nobody can be asked.
            let unsure = try await shunt(daemon, "clear", "apple-pay", "--scope", "region=CN", "--reason", "done")
            #expect(unsure.status == 2)
            #expect(unsure.errors.contains("--yes"))
            let cleared = try await shunt(
                daemon,
                "clear",
                "apple-pay",
                "--scope",
                "region=CN",
                "--reason",
                "done",
                "--yes"
            )
            #expect(cleared.status == 0, "\(cleared.errors)")

            #expect(try await shunt(daemon, "trip", "apple-pay", "--reason", "to be sure").status == 0)
            let again = try await shunt(daemon, "trip", "apple-pay", "--reason", "to be sure")
            #expect(again.status == 1)
            #expect(again.errors.contains("degraded already"))
            #expect(try await shunt(daemon, "restore", "apple-pay", "--reason", "fixed").status == 2)
            #expect(try await shunt(daemon, "restore", "apple-pay", "--reason", "fixed", "--yes").status == 0)

            let mode = try await shunt(daemon, "mode", "apple-pay", "dryRun", "--reason", "new rules")
            #expect(mode.status == 0, "\(mode.errors)")
            #expect(try await shunt(daemon, "show", "apple-pay").output.contains("dryRun"))
            let history = try await shunt(daemon, "history", "apple-pay")
            #expect(history.status == 0, "\(history.errors)")
            #expect(history.output.contains("to be sure"))
        }
    }

    @Test func `what isn't a switch, a time or a move is told`() async throws {
        try await withDaemon { daemon in
            #expect(try await shunt(daemon, "show", "nothing").errors.contains("no switch is called nothing"))
            let time = try await shunt(daemon, "override", "apple-pay", "web", "--for", "2d", "--reason", "r")
            #expect(time.status == 2)
            #expect(time.errors.contains("24h"))
            #expect(try await shunt(daemon, "flip").status == 2)
            #expect(try await shunt(daemon).status == 2)
        }
    }
}
