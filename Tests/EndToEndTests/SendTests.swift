import Foundation
import Testing

extension EndToEnd {
    /// `shunt send`: a file of events, however long, however often it's interrupted, counts once.
    @Suite struct `Sending a file` {
        @Test func `every line arrives`() async throws {
            try await withDaemon { daemon in
                let file = try daemon.folder.write(
                    SampleEvent.lines(SampleEvent.failures(1...2500)),
                    to: "events.ndjson"
                )
                let sent = try await ChildProcess.run(["send", file, "--url", daemon.url])
                #expect(sent.end == .exit(0), "\(sent)")
                #expect((sent.output + sent.errors).contains("2500") || (sent.output + sent.errors).contains("2,500"))
                #expect(try await daemon.variant() == "web")
                let again = try await daemon.report(SampleEvent.failures(1501...2500))
                #expect(again.duplicates == 1000)
            }
        }

        @Test func `standard input is a file too`() async throws {
            try await withDaemon { daemon in
                let sent = try await ChildProcess.run(
                    ["send", "-", "--url", daemon.url],
                    input: Array(SampleEvent.lines(SampleEvent.failures(1...100)).utf8)
                )
                #expect(sent.end == .exit(0), "\(sent)")
                #expect(try await daemon.variant() == "web")
            }
        }

        @Test func `bad lines are named, the others are sent, and the exit code says so`() async throws {
            try await withDaemon { daemon in
                let text = SampleEvent(1).json + "\n{\"error\":{}}\n" + SampleEvent(2).json + "\n"
                let file = try daemon.folder.write(text, to: "events.ndjson")
                let sent = try await ChildProcess.run(["send", file, "--url", daemon.url])
                #expect(sent.end == .exit(1), "\(sent)")
                #expect(sent.errors.contains("2"), "\(sent)")
                let again = try await daemon.report(SampleEvent.failures(1...2))
                #expect(again.duplicates == 2)
            }
        }

        @Test func `without a daemon it fails and says where it tried`() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(SampleEvent.lines(SampleEvent.failures(1...3)), to: "events.ndjson")
            let daemon = try await RunningDaemon.start(on: folder)
            try await daemon.stop()
            let sent = try await ChildProcess.run(["send", file, "--url", daemon.url])
            #expect(sent.end == .exit(3), "\(sent)")
            #expect(sent.errors.contains(daemon.url), "\(sent)")
        }

        @Test func `the place in another file of the same name and size is not this one's`() async throws {
            try await withDaemon { daemon in
                let text = SampleEvent.lines(SampleEvent.failures(1...10))
                let file = try daemon.folder.write(text, to: "events.ndjson")
                let place = #"{"run":"x","size":\#(text.utf8.count),"beginning":"00","acknowledged":9}"#
                _ = try daemon.folder.write(place, to: "events.ndjson.sending")
                let sent = try await ChildProcess.run(["send", file, "--url", daemon.url, "--json"])
                #expect(sent.end == .exit(0), "\(sent)")
                #expect(try JSONDecoder().decode(Tally.self, from: Data(sent.output.utf8)).sent == 10)
            }
        }

        @Test func `its daemon killed, it stops; the same command goes on from there, and each event counts once`()
            async throws
        {
            let folder = try TemporaryFolder()
            let events = SampleEvent.failures(1...Self.many) { $0.attemptId = "one" }
            let file = try folder.write(SampleEvent.lines(events), to: "events.ndjson")

            let first = try await RunningDaemon.start(on: folder)
            let interrupted = try ChildProcess(["send", file, "--url", first.url, "--retry-for", "0"])
            try await waitForSecondBatch(first)
            try await first.crash()
            let end = try await interrupted.end(withinSeconds: 30)
            #expect(end == .exit(1))
            #expect(try await interrupted.errors.wholeText(withinSeconds: 5).contains(first.url))

            let second = try await RunningDaemon.start(on: folder)
            let resumed = try await ChildProcess.run(["send", file, "--url", second.url, "--json"])
            #expect(resumed.end == .exit(0), "\(resumed)")
            let tally = try JSONDecoder().decode(Tally.self, from: Data(resumed.output.utf8))
            // It went on, and didn't begin again: what was acknowledged before isn't sent a second time.
            #expect(tally.sent < Self.many)
            // At most the one batch whose answer was lost was known already.
            #expect(tally.duplicates <= 500)
            #expect(tally.accepted + tally.duplicates == tally.sent)
            try await expectAllKnown(by: second)
            try await second.stop()
        }

        @Test func `its daemon killed and started again, it waits and sends the rest`() async throws {
            let folder = try TemporaryFolder()
            let events = SampleEvent.failures(1...Self.many) { $0.attemptId = "one" }
            let file = try folder.write(SampleEvent.lines(events), to: "events.ndjson")

            let first = try await RunningDaemon.start(on: folder)
            let sending = try ChildProcess(["send", file, "--url", first.url])
            try await waitForSecondBatch(first)
            try await first.crash()
            let address = String(first.url.dropFirst("http://".count))
            let second = try await RunningDaemon.start(on: folder, listen: address)
            let end = try await sending.end(withinSeconds: 60)
            #expect(end == .exit(0))
            try await expectAllKnown(by: second)
            try await second.stop()
        }

        private static let many = 20_000

        /// What `send --json` prints.
        private struct Tally: Decodable {
            let sent: Int
            let accepted: Int
            let duplicates: Int
        }

        /// Every event is there, and all of them are one attempt.
        private func expectAllKnown(by daemon: RunningDaemon) async throws {
            for start in stride(from: 1, to: Self.many, by: 1000) {
                let again = try await daemon.report(SampleEvent.failures(start...(start + 999)))
                #expect(again.duplicates == 1000, "from \(start)")
            }
            #expect(try await daemon.variant() == "native")
        }

        /// Returns when the daemon has taken more than one batch, so that the sender has the answer to the first; each
        /// look is a round trip, not a sleep.
        private func waitForSecondBatch(_ daemon: RunningDaemon) async throws {
            let clock = ContinuousClock()
            let deadline = clock.now + .seconds(20)
            while clock.now < deadline {
                let metrics = try await daemon.client.get("/metrics").text
                let taken = metrics.split(separator: "\n").filter { $0.hasPrefix("shunt_events_total{") }
                    .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +)
                if taken > 500 { return }
            }
            Issue.record("no second batch arrived within 20 s")
        }
    }
}
