import Foundation
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    /// Who moved payers, as it stands after crashes.
    @Suite struct `The audit` {
        private struct Row: Decodable {
            let number: Int
            let seq: Int
            let index: Int
            let kind: String
            let actor: String?
            let origin: String?
            let reason: String?
            let result: String?
            let version: Int?
        }

        private struct Line: Decodable {
            let hash: String
            let row: Row
        }

        private struct Page: Decodable {
            let rows: [Line]
            let nextCursor: String?
        }

        private struct History: Decodable {
            let transitions: [Row]
            let nextCursor: String?
        }

        private struct Verification: Decodable {
            let isGood: Bool
            let rows: Int
            let head: String
            let notedHeadAt: Int?
        }

        private func audit(_ words: [String], _ folder: TemporaryFolder) async throws -> ChildProcess.Finished {
            try await ChildProcess.run(["audit"] + words + ["--data", folder.path("data")])
        }

        private func verify(_ folder: TemporaryFolder, head: String? = nil) async throws -> Verification {
            let finished = try await audit(["verify", "--json"] + (head.map { ["--head", $0] } ?? []), folder)
            #expect(finished.end == .exit(0), "\(finished)")
            return try JSONDecoder().decode(Verification.self, from: Data(finished.output.utf8))
        }

        /// All of it, oldest first.
        private func rows(_ folder: TemporaryFolder) async throws -> [Row] {
            let finished = try await audit(["list", "--json", "--limit", "100000"], folder)
            return try finished.output.split(separator: "\n").reversed().map {
                try JSONDecoder().decode(Line.self, from: Data($0.utf8)).row
            }
        }

        @Test(arguments: [5, 6, 7] as [UInt64])
        func `killed while operators work, it lacks nothing and has nothing twice: seed`(_ seed: UInt64) async throws {
            var random = SeededGenerator(seed: seed)
            let folder = try TemporaryFolder()
            var acknowledged: [String] = []
            var sent: Set<String> = []
            var head: String?
            for round in 1...5 {
                let daemon = try await RunningDaemon.start(on: folder)
                let killAfter = Int.random(in: 0...12, using: &random)
                let microseconds = Int.random(in: 0...6_000, using: &random)
                for number in 0...40 {
                    let reason = "\(seed)-\(round)-\(number)"
                    let action = number.isMultiple(of: 2) ? "trip" : "restore"
                    if number == killAfter {
                        DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(microseconds)) {
                            daemon.child.signal(SIGKILL)
                        }
                    }
                    sent.insert(reason)
                    let reply = try? await daemon.client.post(
                        "/v1/switches/apple-pay/\(action)",
                        #"{"reason":"\#(reason)"}"#
                    )
                    guard let reply else { break }
                    #expect([200, 409].contains(reply.status), "\(reply)")
                    acknowledged.append(reason)
                }
                _ = try await daemon.child.end(withinSeconds: 20)
                let verification = try await verify(folder, head: head)
                head = verification.head
            }
            // What the last kill has kept from being written comes with the next start.
            let daemon = try await RunningDaemon.start(on: folder)
            let version = try await daemon.document().version
            try await daemon.stop()
            let verification = try await verify(folder, head: head)
            let rows = try await rows(folder)
            #expect(verification.rows == rows.count)
            #expect(rows.map(\.number) == Array(1...rows.count))
            let commands = rows.filter { $0.kind == "command" }
            let reasons = commands.compactMap(\.reason)
            #expect(Set(reasons).count == reasons.count, "a command twice")
            #expect(Set(acknowledged).isSubset(of: Set(reasons)), "acknowledged, and lost")
            #expect(Set(reasons).isSubset(of: sent))
            #expect(commands.allSatisfy { $0.actor == "127.0.0.1" && $0.origin == "127.0.0.1" })
            // Every version beyond the first is some transition's, each once.
            let versions = rows.filter { $0.kind == "transition" }.compactMap(\.version)
            #expect(versions == Array(2...version))
            #expect(commands.count { $0.result == "done" } == versions.count)
        }

        @Test func `readers page through it, and a switch has a history`() async throws {
            try await withDaemon { daemon in
                for number in 1...6 {
                    let action = number.isMultiple(of: 2) ? "restore" : "trip"
                    let body = #"{"reason":"r\#(number)"}"#
                    #expect(try await daemon.client.post("/v1/switches/apple-pay/\(action)", body).status == 200)
                }
                var target: String? = "/v1/audit?limit=5"
                var numbers: [Int] = []
                while let next = target {
                    let page: Page = try await daemon.client.get(next).decode()
                    #expect(page.rows.count <= 5)
                    numbers += page.rows.map(\.row.number)
                    target = page.nextCursor.map { "/v1/audit?limit=5&cursor=\($0)" }
                }
                // The founding, the rules, and two for each command.
                #expect(numbers == (1...14).reversed())
                let history: History = try await daemon.client.get("/v1/switches/apple-pay/history?limit=4").decode()
                #expect(history.transitions.map(\.reason) == ["r6", "r5", "r4", "r3"])
                #expect(history.nextCursor != nil)
                #expect(try await daemon.client.get("/v1/switches/none/history").status == 404)
                for query in ["limit=0", "limit=501", "limit=x", "cursor=0", "cursor=x"] {
                    #expect(try await daemon.client.get("/v1/audit?\(query)").status == 400, "\(query)")
                }
                // Apps may read why, and not who.
                let reason = try await daemon.client.post("/v1/switches/apple-pay/trip", #"{"reason":"why"}"#)
                #expect(reason.status == 200)
                #expect(try await daemon.document().applePay?.reason?.summary == "why")
            }
        }

        @Test func `list and verify tell a person, beside the daemon, and tampering is found`() async throws {
            let folder = try TemporaryFolder()
            let daemon = try await RunningDaemon.start(on: folder)
            let reason = String(repeating: "long ", count: 60)
            let trip = try await daemon.client.post("/v1/switches/apple-pay/trip", #"{"reason":"\#(reason)"}"#)
            #expect(trip.status == 200)
            let list = try await audit(["list"], folder)
            #expect(list.output.contains("127.0.0.1 from 127.0.0.1: trip: long"), "\(list)")
            let good = try await audit(["verify"], folder)
            #expect(good.end == .exit(0), "\(good)")
            #expect((list.output + good.output).split(separator: "\n").allSatisfy { $0.count <= 80 })
            try await daemon.stop()
            let missing = try await audit(["verify", "--head", String(repeating: "0f", count: 32)], folder)
            #expect(missing.end == .exit(1) && missing.output.contains("of no row"), "\(missing)")
            // A letter of the command, in the file itself.
            let path = folder.path("data/audit.db")
            var bytes = try Data(contentsOf: URL(filePath: path))
            let place = try #require(bytes.range(of: Data(#""action":"trip""#.utf8)))
            bytes[place.upperBound - 2] = UInt8(ascii: "k")
            try bytes.write(to: URL(filePath: path))
            let bad = try await audit(["verify"], folder)
            #expect(bad.end == .exit(1) && bad.output.hasPrefix("row 3: its hash"), "\(bad)")
        }
    }
}
