import Foundation
import ShuntNative
import Testing

extension EndToEnd {
    /// Who reports, reads and operates: tokens made by the binary, configured in a file, used against the real daemon.
    @Suite struct `Tokens` {
        /// What `shunt token new --json` prints.
        struct Made: Decodable, Sendable {
            let token: String
            let sha256: String
            let line: String

            var bearer: [String: String] { ["Authorization": "Bearer \(token)"] }

            static func make(_ name: String, _ role: String, trust: String? = nil) async throws -> Made {
                let trusting = trust.map { ["--trust", $0] } ?? []
                let arguments = ["token", "new", "--name", name, "--role", role, "--json"] + trusting
                let finished = try await ChildProcess.run(arguments)
                return try JSONDecoder().decode(Made.self, from: Data(finished.output.utf8))
            }
        }

        /// A token of each kind, and a configuration that knows them.
        struct Keys: Sendable {
            let app: Made
            let backend: Made
            let reader: Made
            let onCall: Made

            init() async throws {
                app = try await Made.make("app", "report", trust: "public")
                backend = try await Made.make("backend", "report", trust: "trusted")
                reader = try await Made.make("reader", "read")
                onCall = try await Made.make("on-call", "operate")
            }

            var all: [Made] { [app, backend, reader, onCall] }

            func configure(_ folder: TemporaryFolder, _ more: String = "") throws -> String {
                let lines = all.map { "  \($0.line)\n" }.joined()
                return try folder.write("tokens:\n\(lines)\(more)", to: "shunt.yaml")
            }
        }

        /// A path, with a body where something is posted, and the answers to the four tokens and to none.
        struct Door: Sendable {
            let target: String
            var body: String?
            let app: Int
            let backend: Int
            let reader: Int
            let onCall: Int
            let nobody: Int

            func answers(to keys: Keys) -> [(token: Made?, status: Int)] {
                [(keys.app, app), (keys.backend, backend), (keys.reader, reader), (keys.onCall, onCall), (nil, nobody)]
            }
        }

        static let event = SampleEvent(1).json

        static let doors = [
            Door(target: "/v1/events", body: event, app: 202, backend: 202, reader: 403, onCall: 403, nobody: 401),
            Door(target: "/v1/switches", app: 200, backend: 200, reader: 200, onCall: 200, nobody: 200),
            Door(target: "/v1/rules", app: 403, backend: 403, reader: 200, onCall: 200, nobody: 401),
            Door(target: "/v1/explain?code=8771", app: 403, backend: 403, reader: 200, onCall: 200, nobody: 401),
            Door(target: "/metrics", app: 403, backend: 403, reader: 200, onCall: 200, nobody: 401),
            Door(target: "/healthz", app: 200, backend: 200, reader: 200, onCall: 200, nobody: 200),
            Door(target: "/readyz", app: 200, backend: 200, reader: 200, onCall: 200, nobody: 200),
            Door(
                target: "/v1/switches/apple-pay/trip",
                body: #"{"reason":"drill"}"#,
                app: 403,
                backend: 403,
                reader: 403,
                onCall: 200,
                nobody: 401
            ),
        ]

        @Test func `each opens its doors and no others, and none is ever written down`() async throws {
            let keys = try await Keys()
            let folder = try TemporaryFolder()
            let config = try keys.configure(folder)
            let daemon = try await RunningDaemon.start(on: folder, arguments: ["--config", config])
            for door in Self.doors {
                for (token, status) in door.answers(to: keys) {
                    let headers = token?.bearer ?? [:]
                    let reply =
                        if let body = door.body {
                            try await daemon.client.post(door.target, body, headers: headers)
                        } else {
                            try await daemon.client.get(door.target, headers: headers)
                        }
                    #expect(reply.status == status, "\(door.target): \(reply)")
                    guard status > 400 else { continue }
                    let code = try reply.decode(Problem.self).code
                    #expect(code == (status == 401 ? "tokenMissing" : "roleMissing"))
                    #expect(reply["www-authenticate"]?.hasPrefix("Bearer ") == true)
                }
            }
            let document = try await daemon.document()
            // Anybody may read why, and only readers who.
            #expect(document.applePay?.reason?.summary?.contains("on-call") == false, "\(document)")
            let audit = try await daemon.client.get("/v1/audit", headers: keys.reader.bearer).text
            #expect(audit.contains(#""actor":"on-call","origin":"127.0.0.1""#), "\(audit)")
            let page = try await daemon.client.get("/metrics", headers: keys.reader.bearer).text
            #expect(page.contains("shunt_access_refused_total{reason=\"missing\"} 5\n"), "\(page)")
            #expect(page.contains("shunt_access_refused_total{reason=\"role\"} 11\n"), "\(page)")
            let output = daemon.child.output.text
            #expect(output.contains("4 tokens are configured"), "\(output)")
            try await daemon.stop()
            let said = output + daemon.child.errors.text
            let journal = try FileManager.default.contentsOfDirectory(atPath: folder.path("data/journal"))
            let stored = try journal.map { try Data(contentsOf: folder.url.appending(path: "data/journal/\($0)")) }
            for made in keys.all {
                #expect(!said.contains(made.token))
                #expect(stored.allSatisfy { $0.range(of: Data(made.token.utf8)) == nil })
            }
        }

        @Test func `with tokens the world may be served`() async throws {
            let folder = try TemporaryFolder()
            let config = try await Keys().configure(folder)
            let daemon = try await RunningDaemon.start(
                on: folder,
                listen: "0.0.0.0:0",
                arguments: ["--config", config]
            )
            #expect(try await daemon.client.post("/v1/events", Self.event).status == 401)
            #expect(try await daemon.stop() == .exit(0))
        }

        @Test func `a public token's events need an install, a server's don't`() async throws {
            let keys = try await Keys()
            let folder = try TemporaryFolder()
            try await withDaemon(on: folder, arguments: ["--config", try keys.configure(folder)]) { daemon in
                let anonymous = #"{"error":{"code":"8771"}}"#
                let some = try await daemon.client.post(
                    "/v1/events",
                    "[\(Self.event),\(anonymous)]",
                    headers: keys.app.bearer
                )
                #expect(some.status == 202)
                let rejected = try some.decode(Verdict.self).rejected
                #expect(rejected.map(\.index) == [1])
                #expect(rejected.map(\.pointer) == ["/installId"])
                #expect(rejected.map(\.code) == ["missing"])
                let all = try await daemon.client.post("/v1/events", anonymous, headers: keys.app.bearer)
                #expect(all.status == 422, "\(all)")
                let trusted = try await daemon.client.post("/v1/events", anonymous, headers: keys.backend.bearer)
                #expect(trusted.status == 202, "\(trusted)")
            }
        }

        @Test func `a restart keeps which reports were a public token's`() async throws {
            let keys = try await Keys()
            let folder = try TemporaryFolder()
            let config = try keys.configure(folder)
            for round in 1...2 {
                let daemon = try await RunningDaemon.start(on: folder, arguments: ["--config", config])
                for (key, series) in [(keys.app, "a"), (keys.backend, "b")] {
                    let body = SampleEvent(1, series: series).json
                    let reply = try await daemon.client.post("/v1/events", body, headers: key.bearer)
                    #expect(try reply.decode(Verdict.self).accepted == (round == 1 ? 1 : 0))
                }
                if round == 1 { try await daemon.crash() } else { try await daemon.stop() }
            }
            let isOf = "kind = 1 AND CAST(body AS TEXT) LIKE"
            #expect(try Self.count(in: folder, "\(isOf) '%event-a-1%' AND flags & 8 = 8") == 1)
            #expect(try Self.count(in: folder, "\(isOf) '%event-b-1%' AND flags & 8 = 0") == 1)
            #expect(try Self.count(in: folder, "kind = 1") == 2)
        }

        @Test func `limits are those of the file, and others after a restart`() async throws {
            let folder = try TemporaryFolder()
            // A start with the same limits writes nothing new; with others the rules in force are others.
            for (errorKeys, configured) in [(50, 1), (50, 1), (60, 2)] {
                let config = try folder.write(
                    "limits: { errorKeys: \(errorKeys), events: 2 }\n",
                    to: "shunt.yaml"
                )
                try await withDaemon(on: folder, arguments: ["--config", config]) { daemon in
                    let many = SampleEvent.array(SampleEvent.failures(1...3))
                    let refused = try await daemon.client.post("/v1/events", many)
                    #expect(refused.status == 413, "\(refused)")
                    try await daemon.report(SampleEvent.failures(1...2))
                }
                #expect(try Self.count(in: folder, "kind = 3") == configured)
            }
        }

        /// How many entries of the journal are so.
        private static func count(in folder: TemporaryFolder, _ condition: String) throws -> Int64 {
            let path = folder.path("data/journal")
            let files = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".db") }
            return try files.reduce(0) { sum, file in
                let database = try Database(path: "\(path)/\(file)", mode: .readOnly)
                return sum + (try database.integer("SELECT count(*) FROM entries WHERE \(condition)") ?? 0)
            }
        }

        // MARK: The configuration

        @Test func `a bad configuration lists all that is wrong and isn't run`() async throws {
            let folder = try TemporaryFolder()
            let config = try folder.write(
                "listn: x\ntokens:\n  - { name: a, role: reprot, sha256: shunt_secret }\nretention: { days: 0 }\n",
                to: "shunt.yaml"
            )
            let finished = try await ChildProcess.run(
                ["serve", "--listen", "nowhere", "--data", folder.path("data")],
                environment: ["SHUNT_CONFIG": config]
            )
            #expect(finished.end == .exit(78), "\(finished)")
            for place in ["1:1: ", "3:22: ", "3:38: ", "4:20: "] {
                #expect(finished.errors.contains("\(config):\(place)"), "\(place): \(finished)")
            }
            #expect(finished.errors.contains("did you mean listen?"), "\(finished)")
            #expect(finished.errors.contains("nowhere"), "\(finished)")
            #expect(!finished.errors.contains("shunt_secret"), "\(finished)")
            #expect(!FileManager.default.fileExists(atPath: folder.path("data")))
        }

        @Test func `a file that was named must be there`() async throws {
            let finished = try await ChildProcess.run(["serve", "--config", "/no/such/file"])
            #expect(finished.end == .exit(78), "\(finished)")
            #expect(finished.errors.contains("/no/such/file"), "\(finished)")
        }

        @Test func `an option counts before the environment, that before the file beside it`() async throws {
            let folder = try TemporaryFolder()
            _ = try folder.write("listen: 0.0.0.0:0\ndata: from-file\nrules: from-file-too\n", to: "shunt.yaml")
            // The address isn't this machine's alone, so that each start ends with what it was told.
            func listen(_ arguments: [String], _ environment: [String: String]) async throws -> String {
                let finished = try await ChildProcess.run(
                    ["serve"] + arguments,
                    environment: environment,
                    directory: folder.url
                )
                #expect(finished.end == .exit(78), "\(finished)")
                return finished.errors
            }
            #expect(try await listen([], [:]).contains("listen 0.0.0.0:0 "))
            #expect(try await listen([], ["SHUNT_LISTEN": "0.0.0.0:1"]).contains("listen 0.0.0.0:1 "))
            let both = try await listen(["--listen", "0.0.0.0:2"], ["SHUNT_LISTEN": "0.0.0.0:1"])
            #expect(both.contains("listen 0.0.0.0:2 "))
        }

        // MARK: Commands

        @Test func `commands send the token they are given, and say what is missing`() async throws {
            let keys = try await Keys()
            let folder = try TemporaryFolder()
            let events = try folder.write(SampleEvent.lines(SampleEvent.failures(1...5)), to: "events.ndjson")
            let config = try keys.configure(folder)
            try await withDaemon(on: folder, arguments: ["--config", config]) { daemon in
                func run(_ arguments: [String], _ token: String? = nil) async throws -> ChildProcess.Finished {
                    var environment = ["SHUNT_URL": daemon.url]
                    environment["SHUNT_TOKEN"] = token
                    return try await ChildProcess.run(arguments, environment: environment)
                }
                let full = try await run(["status", "--check", "--token", keys.reader.token])
                #expect(full.end == .exit(0) && full.output.contains("0 open alerts"), "\(full)")
                let brief = try await run(["status"])
                #expect(brief.end == .exit(0) && brief.output.contains("--token"), "\(brief)")
                // Whether an alert fires isn't told, and that isn't the same as none.
                let unknown = try await run(["status", "--check"])
                #expect(unknown.end == .exit(3), "\(unknown)")
                let refused = try await run(["send", events])
                #expect(refused.end == .exit(1), "\(refused)")
                #expect(refused.errors.contains("401") && refused.errors.contains("SHUNT_TOKEN"), "\(refused)")
                let wrong = try await run(["send", events], keys.reader.token)
                #expect(wrong.end == .exit(1) && wrong.errors.contains("role report"), "\(wrong)")
                #expect(!wrong.errors.contains(keys.reader.token))
                let sent = try await run(["send", events], keys.backend.token)
                #expect(sent.end == .exit(0) && sent.output.contains("5 accepted"), "\(sent)")
                let explained = try await run(["explain", "8771"], keys.onCall.token)
                #expect(explained.end == .exit(0), "\(explained)")
            }
        }
    }
}
