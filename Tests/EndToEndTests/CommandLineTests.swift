import Foundation
import Testing

extension EndToEnd {
    /// The executable as a shell sees it: what it writes, and how it ends.
    @Suite struct `The command line` {
        struct Call: Sendable, CustomTestStringConvertible {
            let arguments: [String]
            let exit: Int32
            /// A part of what it writes: to standard output when it succeeds, to standard error when not.
            let says: String

            var testDescription: String { arguments.joined(separator: " ") }
        }

        @Test(arguments: [
            Call(arguments: ["--version"], exit: 0, says: "shunt "),
            Call(arguments: ["--help"], exit: 0, says: "shunt serve"),
            Call(arguments: ["serve", "--help"], exit: 0, says: "--listen"),
            Call(arguments: ["send", "--help"], exit: 0, says: "shunt send"),
            Call(arguments: ["status", "--help"], exit: 0, says: "--url"),
            Call(arguments: ["token", "--help"], exit: 0, says: "shunt token new"),
            Call(arguments: ["token"], exit: 2, says: "new"),
            Call(arguments: ["token", "new", "--role", "admin"], exit: 2, says: "operate"),
            Call(arguments: ["token", "new", "--role", "read", "--trust", "public"], exit: 2, says: "--trust"),
            Call(arguments: ["token", "new", "--name", "a b"], exit: 2, says: "--name"),
            Call(arguments: ["audit", "--help"], exit: 0, says: "shunt audit verify"),
            Call(arguments: ["audit"], exit: 2, says: "verify"),
            Call(arguments: ["audit", "list", "--head", "00"], exit: 2, says: "--head"),
            Call(arguments: ["audit", "verify", "--head", "00"], exit: 2, says: "64 hexadecimal digits"),
            Call(arguments: ["audit", "verify", "--data", "/no/such/folder"], exit: 1, says: "/no/such/folder"),
            Call(arguments: ["keygen", "--help"], exit: 0, says: "shunt keygen"),
            Call(arguments: ["localise", "--help"], exit: 0, says: "shunt localise --input"),
            Call(arguments: ["keygen", "here"], exit: 2, says: "--out"),
            Call(arguments: ["keygen", "--out", "/no/such/folder/key"], exit: 1, says: "/no/such/folder"),
            Call(arguments: ["status", "--token", "a b"], exit: 2, says: "--token"),
            Call(arguments: ["serv"], exit: 2, says: "serv"),
            Call(arguments: ["serve", "--lisen", "127.0.0.1:0"], exit: 2, says: "--lisen"),
            Call(arguments: ["serve", "--listen"], exit: 2, says: "--listen"),
            Call(arguments: ["send"], exit: 2, says: "FILE"),
            Call(arguments: ["send", "/no/such/file"], exit: 1, says: "/no/such/file"),
        ])
        func `ends as its documentation says`(_ call: Call) async throws {
            let finished = try await ChildProcess.run(call.arguments)
            #expect(finished.end == .exit(call.exit), "\(finished)")
            let said = call.exit == 0 ? finished.output : finished.errors
            #expect(said.contains(call.says), "\(finished)")
            // What a script reads and what a person reads don't mix.
            #expect((call.exit == 0 ? finished.errors : finished.output).isEmpty, "\(finished)")
        }

        @Test func `help names every command, and each has its own with an example`() async throws {
            let overview = try await ChildProcess.run(["--help"]).output
            for command in ["serve", "send", "status", "token", "keygen", "audit", "localise"] {
                #expect(overview.split(separator: "\n").contains { $0.hasPrefix("  \(command) ") })
                let help = try await ChildProcess.run([command, "--help"]).output
                let example = try #require(help.range(of: "Example"))
                #expect(help[example.upperBound...].contains("  shunt \(command)"))
                #expect((overview + help).split(separator: "\n").allSatisfy { $0.count <= 80 })
            }
        }

        @Test func `SIGTERM drains and ends with 0`() async throws {
            let daemon = try await RunningDaemon.start(on: TemporaryFolder())
            try await daemon.report(SampleEvent.failures(1...10))
            let end = try await daemon.stop()
            #expect(end == .exit(0))
        }

        @Test func `a poll that waits doesn't hold up the end`() async throws {
            let daemon = try await RunningDaemon.start(on: TemporaryFolder())
            let version = try await daemon.document().version
            async let waiting = daemon.client.get("/v1/switches?after=\(version)&waitSec=25")
            for event in SampleEvent.failures(1...20) { try await daemon.report([event]) }
            let clock = ContinuousClock()
            let start = clock.now
            let end = try await daemon.stop()
            #expect(end == .exit(0))
            #expect(clock.now - start < .seconds(10))
            #expect((try? await waiting)?.status != 200)
        }

        @Test func `a second daemon on the same folder refuses, and the first goes on`() async throws {
            try await withDaemon { daemon in
                let second = try await ChildProcess.run(
                    ["serve", "--listen", "127.0.0.1:0", "--data", daemon.folder.path("data")])
                #expect(second.end != .exit(0))
                #expect(second.errors.contains(daemon.folder.path("data")), "\(second)")
                #expect(!second.output.contains("ready"))
                let verdict = try await daemon.report(SampleEvent.failures(1...1))
                #expect(verdict.accepted == 1)
            }
        }

        @Test func `a port that is taken is a clear failure`() async throws {
            try await withDaemon { daemon in
                let address = daemon.url.dropFirst("http://".count)
                let folder = try TemporaryFolder()
                let second = try await ChildProcess.run(
                    ["serve", "--listen", String(address), "--data", folder.path("data")])
                #expect(second.end == .exit(1), "\(second)")
                #expect(second.errors.contains(address), "\(second)")
            }
        }

        @Test(arguments: ["0.0.0.0:0", "[::]:0"])
        func `without tokens it won't listen to the world`(_ address: String) async throws {
            let folder = try TemporaryFolder()
            let finished = try await ChildProcess.run(["serve", "--listen", address, "--data", folder.path("data")])
            #expect(finished.end == .exit(78), "\(finished)")
            #expect(finished.errors.contains("token"), "\(finished)")
        }

        @Test(arguments: ["127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", "nowhere"])
        func `an address that isn't one is a mistake in the configuration`(_ address: String) async throws {
            let folder = try TemporaryFolder()
            let finished = try await ChildProcess.run(["serve", "--listen", address, "--data", folder.path("data")])
            #expect([.exit(2), .exit(78)].contains(finished.end), "\(finished)")
            #expect(finished.errors.contains(address), "\(finished)")
        }

        @Test func `options come from the environment too, and an argument wins`() async throws {
            let folder = try TemporaryFolder()
            let daemon = try await RunningDaemon.start(on: folder, environment: ["SHUNT_LISTEN": "0.0.0.0:0"])
            #expect(daemon.url.hasPrefix("http://127.0.0.1:"))
            try await daemon.stop()
        }

        @Test func `status says in a few lines what an app would get`() async throws {
            try await withDaemon { daemon in
                let calm = try await ChildProcess.run(["status", "--url", daemon.url])
                #expect(calm.end == .exit(0), "\(calm)")
                #expect(calm.output.contains("apple-pay") && calm.output.contains("native"), "\(calm)")
                try await daemon.report(SampleEvent.failures(1...100))
                let tripped = try await ChildProcess.run(["status"], environment: ["SHUNT_URL": daemon.url])
                #expect(tripped.end == .exit(0), "\(tripped)")
                #expect(tripped.output.contains("web"), "\(tripped)")
                let lines = tripped.output.split(separator: "\n")
                #expect(lines.count <= 10 && lines.allSatisfy { $0.count <= 80 }, "\(tripped)")
            }
        }

        @Test func `status without a daemon is a failure that names the address`() async throws {
            let daemon = try await RunningDaemon.start(on: TemporaryFolder())
            try await daemon.stop()
            let finished = try await ChildProcess.run(["status", "--url", daemon.url])
            #expect(finished.end == .exit(3), "\(finished)")
            #expect(finished.errors.contains(daemon.url), "\(finished)")
        }
    }
}
