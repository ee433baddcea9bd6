import Foundation
import Testing

extension EndToEnd {
    /// Rule files and the real daemon: at the start, while it runs, and when they are bad or gone.
    @Suite struct `Rule files` {
        private func rule(threshold: Int) -> String {
            """
            rules:
              - id: burst
                description: burst
                groupBy: [error.code]
                count: attempts
                threshold: \(threshold)
                window: 1m
                alert: { severity: critical, resolveBelow: 1, holdFor: 1s }
                trip: { switch: apple-pay, scope: [environment] }

            """
        }

        private func write(_ text: String, to folder: TemporaryFolder) throws -> String {
            let rules = folder.path("rules")
            try FileManager.default.createDirectory(atPath: "\(rules)/alerts", withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(rules)/alerts/burst.yaml"))
            return rules
        }

        @Test func `SIGHUP puts changed files in force, and bad ones leave the rules alone`() async throws {
            let folder = try TemporaryFolder()
            let rules = try write(rule(threshold: 50), to: folder)
            let daemon = try await RunningDaemon.start(on: folder, arguments: ["--rules", rules])
            try await daemon.report(SampleEvent.failures(1...9))
            _ = try write(rule(threshold: 10), to: folder)
            daemon.child.signal(SIGHUP)
            try await wait(until: #""threshold":10"#, at: "/v1/rules", of: daemon)
            _ = try write("rules:\n  - idd: burst\n", to: folder)
            daemon.child.signal(SIGHUP)
            try await wait(until: "the last reload failed", at: "/readyz", of: daemon)
            try await daemon.report(SampleEvent.failures(11...20))
            #expect(try await daemon.variant() == "web")
            #expect(try await daemon.stop() == .exit(0))
        }

        @Test func `a new daemon with bad files says all that is wrong and exits with 78`() async throws {
            let folder = try TemporaryFolder()
            let rules = try write("rules:\n  - idd: burst\n", to: folder)
            let finished = try await ChildProcess.run([
                "serve", "--listen", "127.0.0.1:0", "--data", folder.path("data"), "--rules", rules,
            ])
            #expect(finished.end == .exit(78), "\(finished)")
            #expect(finished.errors.contains("burst.yaml:2:5"), "\(finished)")
            #expect(finished.errors.contains("did you mean id?"), "\(finished)")
        }

        @Test func `one that has run before goes on with its last good rules`() async throws {
            let folder = try TemporaryFolder()
            let rules = try write(rule(threshold: 10), to: folder)
            let first = try await RunningDaemon.start(on: folder, arguments: ["--rules", rules])
            try await first.report(SampleEvent.failures(1...9))
            try await first.stop()
            _ = try write("rules:\n  - idd: burst\n", to: folder)
            let second = try await RunningDaemon.start(on: folder, arguments: ["--rules", rules])
            #expect(try await second.variant() == "native")
            try await second.report(SampleEvent.failures(10...10))
            #expect(try await second.variant() == "web")
            try await second.stop()
        }

        @Test func `rules check lists what is wrong, with 1, and says so when all is well`() async throws {
            let folder = try TemporaryFolder()
            let rules = try write("rules:\n  - idd: burst\n", to: folder)
            let bad = try await ChildProcess.run(["rules", "check", rules])
            #expect(bad.end == .exit(1), "\(bad)")
            #expect((bad.output + bad.errors).contains("burst.yaml:2:5"), "\(bad)")
            _ = try write(rule(threshold: 10), to: folder)
            #expect(try await ChildProcess.run(["rules", "check", rules]).end == .exit(0))
        }

        /// Returns when an answer says it; each look is a round trip, not a sleep.
        private func wait(until text: String, at target: String, of daemon: RunningDaemon) async throws {
            let clock = ContinuousClock()
            let deadline = clock.now + .seconds(20)
            while clock.now < deadline {
                if try await daemon.client.get(target).text.contains(text) { return }
            }
            Issue.record("\(target) didn't say \(text) within 20 s")
        }
    }
}
