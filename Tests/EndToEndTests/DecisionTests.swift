import Foundation
import Testing

extension EndToEnd {
    /// Why payers were moved, as the journal says it again.
    @Suite struct `A decision` {
        private func explain(_ version: Int, _ folder: TemporaryFolder, _ words: String...) async throws
            -> ChildProcess.Finished
        {
            try await ChildProcess.run(
                ["explain", "--version", "\(version)", "--data", folder.path("data")] + words
            )
        }

        /// The founding outage: a hundred failures of one code.
        private func outage(_ daemon: RunningDaemon, series: String = "a") async throws {
            try await daemon.report(SampleEvent.failures(0...99, series: series))
            #expect(try await daemon.variant() == "web")
            // The capsule is read back after the flip.
            let deadline = ContinuousClock.now + .seconds(10)
            while ContinuousClock.now < deadline {
                let history = try await daemon.client.get("/v1/switches/apple-pay/history?limit=1")
                if history.text.contains("\"capsule\":") { return }
            }
            Issue.record("no capsule within ten seconds")
        }

        @Test func `it is explained beside the daemon, and after kill -9 and a restart it is still the same`()
            async throws
        {
            let folder = try TemporaryFolder()
            var daemon = try await RunningDaemon.start(on: folder)
            try await outage(daemon)
            let first = try await explain(2, folder)
            #expect(first.end == .exit(0), "\(first)")
            for part in [
                "version 2, entry 102 of journal", "apple-pay (production): normal → degraded", "error-code-burst",
                "yes count                 100 attempts within 5 min; threshold 100",
                "share                 not required",
                "\n100 failures\n", "region            CN 100 %", "event-a-0", "event-a-99",
            ] {
                #expect(first.output.contains(part), "\(part) in \(first.output)")
            }
            #expect(first.output.hasSuffix("\nreplayed from the journal: the same decision\n"))
            #expect(first.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(first.output)")
            try await daemon.crash()
            #expect(try await explain(2, folder).output == first.output)
            daemon = try await RunningDaemon.start(on: folder)
            #expect(try await explain(2, folder).output == first.output)
            try await daemon.restore()
            let restored = try await explain(3, folder)
            #expect(restored.end == .exit(0) && restored.output.contains("reason: fixed"), "\(restored)")
            try await daemon.stop()
            #expect(try await explain(2, folder).output == first.output)
            let founding = try await explain(1, folder)
            #expect(founding.end == .exit(0) && founding.output.contains("the journal is founded"), "\(founding)")
        }

        @Test func `history and audit show it, over HTTP and in the tool`() async throws {
            struct Page: Decodable {
                struct Transition: Decodable {
                    struct Evidence: Decodable {
                        struct Condition: Decodable {
                            let name: String
                            let standing: String
                            let value: Int?
                            let limit: Int?
                        }
                        let ground: String
                        let ruleSha256: String?
                        let conditions: [Condition]?
                    }
                    struct Capsule: Decodable {
                        struct Sample: Decodable {
                            let seq: Int
                            let eventId: String?
                        }
                        let failures: Int
                        let samples: [Sample]
                    }
                    let version: Int
                    let evidence: Evidence
                    let capsule: Capsule?
                }
                let transitions: [Transition]
            }
            try await withDaemon { daemon in
                try await outage(daemon)
                try await daemon.restore()
                let page: Page = try await daemon.client.get("/v1/switches/apple-pay/history").decode()
                #expect(page.transitions.map(\.version) == [3, 2])
                #expect(page.transitions.map(\.evidence.ground) == ["command", "rule"])
                let trip = try #require(page.transitions.last)
                #expect(trip.evidence.ruleSha256?.count == 64)
                let count = try #require(trip.evidence.conditions?.first)
                #expect(count.name == "count" && count.standing == "holds" && count.value == 100 && count.limit == 100)
                #expect(trip.capsule?.failures == 100 && trip.capsule?.samples.count == 20)
                #expect(trip.capsule?.samples.first?.eventId == "event-a-0")
                #expect(page.transitions[0].capsule == nil)
                let audit = try await daemon.client.get("/v1/audit").text
                #expect(audit.contains(#""capsule":{"version":2,"#))
                let tool = try await ChildProcess.run(["switch", "history", "apple-pay", "--url", daemon.url])
                #expect(tool.output.contains("count 100 (limit 100), installs 20 or more (limit 10)"), "\(tool)")
                #expect(tool.output.contains("100 %"), "\(tool)")
                #expect(tool.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(tool)")
            }
        }

        @Test func `what was changed in the audit's file is named, and the exit status is 1`() async throws {
            let folder = try TemporaryFolder()
            let daemon = try await RunningDaemon.start(on: folder)
            try await outage(daemon)
            try await daemon.stop()
            // Letters in the file itself, as long as before: first of the capsule, then of the row.
            let path = folder.path("data/audit.db")
            func change(_ text: String, to other: String) throws {
                var bytes = try Data(contentsOf: URL(filePath: path))
                let place = try #require(bytes.range(of: Data(text.utf8)))
                bytes.replaceSubrange(place, with: Data(other.utf8))
                try bytes.write(to: URL(filePath: path))
            }
            try change(#"{"value":"CN","count":100}"#, to: #"{"value":"US","count":100}"#)
            let capsule = try await explain(2, folder)
            #expect(capsule.end == .exit(1), "\(capsule)")
            #expect(capsule.output.contains("1 difference\n"), "\(capsule)")
            #expect(capsule.output.contains(#"stored "US", replayed "CN""#), "\(capsule)")
            #expect(try await ChildProcess.run(["audit", "verify", "--data", folder.path("data")]).end == .exit(1))
            try change(#""to":"degraded""#, to: #""to":"degrades""#)
            let row = try await explain(2, folder, "--json")
            #expect(row.end == .exit(1) && row.output.contains(#""isSame":false"#), "\(row)")
            #expect(row.output.contains(#"{"path":"to","stored":"\"degrades\"","replayed":"\"degraded\""}"#), "\(row)")
        }

        @Test(arguments: [
            (["--version", "9"], 1 as Int32, "there is no version 9: the journal ends at version 1"),
            (["--version", "0"], 2, "at least 1"),
            (["--version", "x"], 2, "at least 1"),
            (["--version", "2", "8771"], 2, "not both"),
            (["--version", "2", "--stage", "charge"], 2, "--stage goes with a code"),
            (["8771", "--data", "x"], 2, "--data goes with --version"),
        ])
        func `what can't be explained is said`(words: [String], exit: Int32, says: String) async throws {
            let folder = try TemporaryFolder()
            let daemon = try await RunningDaemon.start(on: folder)
            let data = words.contains("--data") ? [] : ["--data", folder.path("data")]
            let finished = try await ChildProcess.run(["explain"] + words + data)
            #expect(finished.end == .exit(exit), "\(finished)")
            #expect(finished.errors.contains(says), "\(finished)")
            try await daemon.stop()
            let none = try await ChildProcess.run(["explain", "--version", "2", "--data", folder.path("none")])
            #expect(none.end == .exit(1) && none.errors.contains("there is no such data folder"), "\(none)")
        }

        @Test func `a journal that is older than its audit is told, and begins a new epoch`() async throws {
            let folder = try TemporaryFolder()
            var daemon = try await RunningDaemon.start(on: folder)
            let epoch = try await daemon.document().epoch
            try await daemon.stop()
            let files = FileManager.default
            for name in ["journal", "snapshot"] {
                try files.copyItem(atPath: folder.path("data/\(name)"), toPath: folder.path("\(name).old"))
            }
            daemon = try await RunningDaemon.start(on: folder)
            try await outage(daemon)
            try await daemon.restore()
            #expect(try await daemon.client.get("/readyz").text.contains(#""history":"whole""#))
            try await daemon.stop()
            for name in ["journal", "snapshot"] {
                try files.removeItem(atPath: folder.path("data/\(name)"))
                try files.moveItem(atPath: folder.path("\(name).old"), toPath: folder.path("data/\(name)"))
            }
            let lost = try await explain(3, folder)
            #expect(lost.end == .exit(1) && lost.errors.contains("a part of it is gone"), "\(lost)")
            #expect(lost.output.contains("apple-pay (production): degraded → normal"), "\(lost)")
            daemon = try await RunningDaemon.start(on: folder)
            let document = try await daemon.document()
            #expect(document.epoch != epoch && document.version == 1)
            let readiness = try await daemon.client.get("/readyz")
            #expect(readiness.status == 200 && readiness.text.contains("a part of the journal is gone"), "\(readiness)")
            #expect(daemon.child.errors.text.contains("error the audit tells of entry"))
            // What happens now is in the audit too, and is explained as what it is.
            try await outage(daemon, series: "b")
            let again = try await explain(2, folder)
            #expect(again.end == .exit(0) && again.output.contains("event-b-0"), "\(again)")
            try await daemon.stop()
            let verified = try await ChildProcess.run(["audit", "verify", "--data", folder.path("data")])
            #expect(verified.end == .exit(0), "\(verified)")
            daemon = try await RunningDaemon.start(on: folder)
            #expect(try await daemon.client.get("/readyz").text.contains(#""history":"whole""#), "told once")
            try await daemon.stop()
        }
    }
}
