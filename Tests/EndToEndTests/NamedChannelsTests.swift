import Foundation
import Testing

extension EndToEnd {
    /// Rules that name channels which nobody has configured.
    @Suite struct `Channels that rules name` {
        private struct Readiness: Decodable {
            struct Checks: Decodable { let channels: String }
            let ready: Bool
            let checks: Checks
        }

        private func write(_ policy: String, in folder: TemporaryFolder) throws {
            try FileManager.default.createDirectory(
                atPath: folder.path("rules/alerts"),
                withIntermediateDirectories: true
            )
            let text = """
                rules:
                  - id: burst
                    description: burst
                    groupBy: [error.code]
                    count: events
                    threshold: 10
                    window: 1m
                    alert: { severity: critical, \(policy) }

                """
            _ = try folder.write(text, to: "rules/alerts/burst.yaml")
        }

        private func channels(_ daemon: RunningDaemon) async throws -> String {
            let readiness: Readiness = try await daemon.client.get("/readyz").decode()
            #expect(readiness.ready)
            return readiness.checks.channels
        }

        private func warnings(_ daemon: RunningDaemon, of name: String) -> Int {
            daemon.child.errors.text.components(separatedBy: "rules name the channel \(name), ").count - 1
        }

        /// Waits for so many warnings: the log is read by a thread of its own.
        private func expect(_ count: Int, warningsOf name: String, of daemon: RunningDaemon) async throws {
            let end = Date(timeIntervalSinceNow: 5)
            while warnings(daemon, of: name) < count, Date() < end {
                _ = try await daemon.client.get("/healthz")
            }
            #expect(warnings(daemon, of: name) >= count, "\(daemon.child.errors.text)")
        }

        @Test func `are told of at the start, at each reload, and by readyz`() async throws {
            let folder = try TemporaryFolder()
            let channel = "{ name: oncall, kind: slack, url: \"http://127.0.0.1:9/\", allowPrivate: true }"
            let config = try folder.write("channels: [\(channel)]\n", to: "shunt.yaml")
            try write("channels: [onkall]", in: folder)
            let arguments = ["--config", config, "--rules", folder.path("rules")]
            try await withDaemon(on: folder, arguments: arguments) { daemon in
                try await expect(1, warningsOf: "onkall", of: daemon)
                #expect(try await channels(daemon) == "rules name what isn't configured: onkall")

                try write("channels: [oncall], escalateAfter: 5m, escalateTo: [lead]", in: folder)
                #expect(try await daemon.client.post("/v1/rules/reload", "").status == 200)
                try await expect(1, warningsOf: "lead", of: daemon)
                #expect(try await channels(daemon) == "rules name what isn't configured: lead")
                let before = warnings(daemon, of: "lead")
                #expect(try await daemon.client.post("/v1/rules/reload", "").status == 200)
                try await expect(before + 1, warningsOf: "lead", of: daemon)

                try write("channels: [oncall]", in: folder)
                #expect(try await daemon.client.post("/v1/rules/reload", "").status == 200)
                #expect(try await channels(daemon) == "all that rules name are configured")
                #expect(warnings(daemon, of: "onkall") == 1 && warnings(daemon, of: "oncall") == 0)
            }
        }

        @Test func `are no matter where no channel is configured`() async throws {
            let folder = try TemporaryFolder()
            try write("channels: [onkall]", in: folder)
            try await withDaemon(on: folder, arguments: ["--rules", folder.path("rules")]) { daemon in
                let text = try await channels(daemon)
                #expect(text == "none is configured")
                #expect(warnings(daemon, of: "onkall") == 0)
            }
        }
    }
}
