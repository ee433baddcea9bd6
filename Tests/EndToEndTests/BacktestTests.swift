import Foundation
import Testing

extension EndToEnd {
    /// Other rules on what a daemon has stored, while it runs.
    @Suite struct `Back-tests` {
        private func rules(threshold: Int, in folder: TemporaryFolder) throws -> String {
            let text = """
                rules:
                  - id: burst
                    description: burst
                    groupBy: [error.domain, error.code]
                    threshold: \(threshold)
                    window: 5m
                    alert: { severity: critical }
                    trip: { switch: apple-pay }

                """
            let path = folder.path("rules-\(threshold)")
            try FileManager.default.createDirectory(atPath: "\(path)/alerts", withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/alerts/burst.yaml"))
            return path
        }

        @Test func `beside a running daemon it says what other rules would have done`() async throws {
            // The shipped rules would see the share of failures sooner.
            let folder = try TemporaryFolder()
            let live = try rules(threshold: 100, in: folder)
            try await withDaemon(on: folder, arguments: ["--rules", live]) { daemon in
                try await daemon.report(SampleEvent.failures(1...60))
                try await daemon.report(SampleEvent.failures(1...40, series: "b") { $0.outcome = "succeeded" })
                try await daemon.report(SampleEvent.failures(61...100))
                #expect(try await daemon.variant() == "web")
                let data = daemon.folder.path("data")
                let arguments = ["rules", "backtest", "--data", data, "--rules"]
                let sooner = try rules(threshold: 50, in: daemon.folder)

                let page = try await ChildProcess.run(arguments + [sooner])
                #expect(page.end == .exit(0), "\(page)")
                #expect(page.errors.isEmpty, "\(page)")
                #expect(page.output.contains("UTC, 140 events"), "\(page)")
                #expect(page.output.contains("burst: 1 alert, 1 trip, degraded for "), "\(page)")
                #expect(page.output.contains("failed   51 of 91 payments (56 %), CNY 20,349.00"), "\(page)")
                #expect(page.output.contains("apple-pay → web, version 2, still degraded"), "\(page)")
                #expect(page.output.contains("live     burst verify/8771 "), "\(page)")
                #expect(page.output.contains("tripped apple-pay"), "\(page)")
                #expect(page.output.contains("1 alert, 1 trip; live: 1 alert, 1 trip\n"), "\(page)")
                #expect(!page.output.contains("\u{1B}"), "\(page)")

                let never = try await ChildProcess.run(
                    ["rules", "backtest", "--since", "1h"],
                    environment: ["SHUNT_DATA": data, "SHUNT_RULES": try rules(threshold: 500, in: daemon.folder)]
                )
                #expect(never.output.contains("can't fire on 100 % of hours"), "\(never)")
                #expect(never.output.contains("live, and not with these rules"), "\(never)")
                for output in [page.output, never.output] {
                    #expect(output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(output)")
                }

                let json = try await ChildProcess.run(arguments + [sooner, "--json"])
                #expect(json.output.hasPrefix(#"{"since":""#), "\(json)")
                #expect(json.output.contains(#""events":140,"#), "\(json)")
                #expect(json.output.contains(#""payments":{"failed":51,"seen":91,"#), "\(json)")

                // The daemon counts on as before.
                try await daemon.report(SampleEvent.failures(101...110))
                let later = try await ChildProcess.run(arguments + [sooner])
                #expect(later.output.contains("UTC, 150 events"), "\(later)")
            }
        }

        @Test func `bad rules are listed as a check lists them`() async throws {
            let folder = try TemporaryFolder()
            let rules = try rules(threshold: 0, in: folder)
            let check = try await ChildProcess.run(["rules", "check", rules])
            let backtest = try await ChildProcess.run(["rules", "backtest", "--rules", rules])
            #expect(backtest.output.contains("burst.yaml:5:"), "\(backtest)")
            #expect(backtest.output == check.output)
            #expect(backtest.end == .exit(1))
        }

        @Test(arguments: [
            (["--since", "7"], Int32(2), "--since 7: expected a duration such as 7d"),
            (["--since", "7 days"], 2, "did you mean 7d?"), (["--since", "0s"], 2, "expected a time in the past"),
            (["--since", "2999-01-01T00:00:00Z"], 2, "expected a time in the past"),
            (["other"], 2, "expected --rules other"), (["--junit", "x"], 2, "--junit is an option of rules test"),
            (["--data", "/nowhere"], 1, "/nowhere: there is no such data folder"),
            (["--data", "/"], 1, "//journal: there is no journal"),
        ])
        func `a wrong call says what was expected`(arguments: [String], exit: Int32, says: String) async throws {
            let folder = try TemporaryFolder()
            let rules = try rules(threshold: 3, in: folder)
            let finished = try await ChildProcess.run(
                ["rules", "backtest"] + arguments,
                environment: ["SHUNT_RULES": rules, "SHUNT_DATA": folder.path("none")]
            )
            #expect(finished.end == .exit(exit), "\(finished)")
            #expect(finished.errors.contains(says), "\(finished)")
        }

        @Test func `its options are for it alone, and what the environment says hinders no check`() async throws {
            let folder = try TemporaryFolder()
            let rules = try rules(threshold: 3, in: folder)
            let check = try await ChildProcess.run(["rules", "check", rules, "--since", "7d"])
            #expect(check.end == .exit(2))
            #expect(check.errors.contains("--since is an option of rules backtest"), "\(check)")
            let set = try await ChildProcess.run(
                ["rules", "check", rules],
                environment: ["SHUNT_RULES": "x", "SHUNT_DATA": "y"]
            )
            #expect(set.end == .exit(0), "\(set)")
        }
    }
}
