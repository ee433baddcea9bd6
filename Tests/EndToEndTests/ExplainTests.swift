import Testing

extension EndToEnd {
    /// Why a rule hasn't fired, as a person asks it.
    @Suite struct `Explaining` {
        @Test func `the distance to the trip is told, then the trip`() async throws {
            try await withDaemon { daemon in
                try await daemon.report(SampleEvent.failures(1...37))
                let arguments = ["explain", "8771", "--domain", "verify", "--url", daemon.url]
                let before = try await ChildProcess.run(arguments)
                #expect(before.end == .exit(0), "\(before)")
                #expect(before.output.contains("production verify 8771: 37 of 100 attempts"), "\(before)")
                #expect(before.output.contains("belowThreshold:"), "\(before)")
                #expect(before.output.contains("unknown, counted apart"), "\(before)")

                try await daemon.report(SampleEvent.failures(38...100))
                #expect(try await daemon.variant() == "web")
                let after = try await ChildProcess.run(arguments)
                #expect(after.output.contains("switch decision"), "\(after)")
                #expect(after.output.contains("alreadyDegraded:"), "\(after)")
                for output in [before.output, after.output] {
                    #expect(output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(output)")
                }

                let json = try await ChildProcess.run(arguments + ["--json", "--environment", "production"])
                #expect(json.output.hasPrefix(#"{"code":"8771","environment":"production""#), "\(json)")
                #expect(json.output.contains(#""decision":"tripped""#), "\(json)")
            }
        }

        @Test func `hostile names neither break the page nor steer the terminal`() async throws {
            try await withDaemon { daemon in
                let long = String(repeating: "x", count: 150)
                try await daemon.report(SampleEvent.failures(1...1) { $0.domain = #"\u001b[2J\#(long)"# })
                let page = try await ChildProcess.run(["explain", "8771", "--url", daemon.url])
                #expect(page.end == .exit(0), "\(page)")
                #expect(page.output.contains("[2Jxxx"), "\(page)")
                #expect(!page.output.contains("\u{1B}"), "\(page)")
                #expect(page.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(page)")
            }
        }

        @Test(arguments: [
            (["explain"], Int32(2), "CODE"), (["explain", "1", "2"], 2, "unexpected argument 2"),
            (["explain", "1", "--stage", "chrge"], 2, "expected stage to be one of"),
        ])
        func `a wrong call says what was expected`(arguments: [String], exit: Int32, says: String) async throws {
            try await withDaemon { daemon in
                let finished = try await ChildProcess.run(arguments + ["--url", daemon.url])
                #expect(finished.end == .exit(exit), "\(finished)")
                #expect(finished.errors.contains(says), "\(finished)")
            }
        }

        @Test func `its help has an example and fits the page`() async throws {
            let help = try await ChildProcess.run(["explain", "--help"]).output
            #expect(help.contains("  shunt explain 8771 --domain verify"))
            #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
        }
    }
}
