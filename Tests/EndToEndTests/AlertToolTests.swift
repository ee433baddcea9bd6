import Foundation
import Testing

/// `shunt alerts` and `shunt silence`, against the real daemon.
@Suite struct AlertToolTests {
    private struct Answer {
        let status: Int
        let output: String
        let errors: String
    }

    private func shunt(_ daemon: RunningDaemon, _ words: String...) async throws -> Answer {
        try await shunt(daemon, words)
    }

    private func shunt(_ daemon: RunningDaemon, _ words: [String]) async throws -> Answer {
        let finished = try await ChildProcess.run(words + ["--url", daemon.url])
        guard case .exit(let status) = finished.end else {
            return Answer(status: -1, output: "", errors: "\(finished)")
        }
        return Answer(status: Int(status), output: finished.output, errors: finished.errors)
    }

    private func isNarrow(_ text: String) -> Bool { text.split(separator: "\n").allSatisfy { $0.count <= 80 } }

    @Test func `on-call looks, takes, silences, and all of it is there after a kill`() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await RunningDaemon.start(on: folder)
        var id = ""
        do {
            let calm = try await shunt(daemon, "alerts", "--firing", "--rule", "error-code-burst")
            #expect(calm.output == "No alerts.\n")
            let matchers = ["error.code=1", "severity!=info"]
            let silence = try await shunt(
                daemon,
                ["silence", "add"] + matchers + ["--for", "2h", "--comment", "renewal"]
            )
            #expect(silence.status == 0, "\(silence.errors)")
            try await daemon.report(SampleEvent.failures(1...100))
            let listed = try await shunt(daemon, "alerts", "--firing")
            #expect(listed.output.contains("mitigated") && listed.output.contains("verify/8771"), "\(listed.output)")
            #expect(isNarrow(listed.output))
            id = String(listed.output.split(whereSeparator: \.isWhitespace)[2])
            let taken = try await shunt(daemon, "alerts", "ack", id, "--note", "calling the bank", "--for", "30m")
            #expect(taken.status == 0, "\(taken.errors)")
            #expect(taken.output.hasPrefix("\(id) is mitigated; "))
        } catch {
            try? await daemon.crash()
            throw error
        }
        try await daemon.crash()
        try await withDaemon(on: folder) { daemon in
            let shown = try await shunt(daemon, "alerts", "show", id)
            #expect(shown.status == 0, "\(shown.errors)")
            #expect(shown.output.contains("calling the bank") && shown.output.contains("fires at 100"))
            #expect(isNarrow(shown.output))
            let silences = try await shunt(daemon, "alerts", "silence", "list")
            #expect(silences.output.contains("error.code=1 severity!=info") && silences.output.contains("hides 0"))
            let name = String(silences.output.split(whereSeparator: \.isWhitespace)[0])
            #expect(try await shunt(daemon, "silence", "expire", name).status == 0)
            #expect(try await shunt(daemon, "silence", "list").output == "Nothing is silenced.\n")
            let again = try await shunt(daemon, "silence", "expire", name)
            #expect(again.status == 1 && again.errors.contains("no silence of that identity"))
        }
    }

    @Test func `what can't be is told before the daemon is asked`() async throws {
        try await withDaemon { daemon in
            #expect(try await shunt(daemon, "alerts", "ack").status == 2)
            #expect(try await shunt(daemon, "alerts", "mute", "1-0").status == 2)
            #expect(try await shunt(daemon, "alerts", "ack", "1-0", "--for", "2d").errors.contains("at most 24h"))
            #expect(try await shunt(daemon, "alerts", "show", "1-0").status == 1)
            let endless = try await shunt(daemon, "silence", "add", "rule=a", "--comment", "c")
            #expect(endless.errors.contains("always ends"))
            #expect(try await shunt(daemon, "silence", "add", "rule=a", "--for", "1h").errors.contains("--comment"))
            let pattern = try await shunt(daemon, "silence", "add", "rule~=a", "--for", "1h", "--comment", "c")
            #expect(pattern.status == 2 && pattern.errors.contains("expected /matchers/0/name"), "\(pattern.errors)")
            let long = try await shunt(daemon, "silence", "add", "rule=a", "--for", "8d", "--comment", "c")
            #expect(long.status == 2 && long.errors.contains("at most 7d"))
        }
    }
}
