import Testing

extension EndToEnd {
    /// What outlives the process: everything that was acknowledged, and nothing else.
    @Suite struct `A restart` {
        @Test func `keeps the version and the epoch, and the version goes on from there`() async throws {
            let folder = try TemporaryFolder()
            var before: Document?
            try await withDaemon(on: folder) { daemon in
                try await daemon.report(SampleEvent.failures(1...100))
                try await daemon.restore()
                before = try await daemon.document()
            }
            let old = try #require(before)
            try await withDaemon(on: folder) { daemon in
                let new = try await daemon.document()
                #expect(new.epoch == old.epoch)
                #expect(new.version == old.version)
                #expect(new.applePay?.since == old.applePay?.since)
                try await daemon.report(SampleEvent.failures(101...200))
                #expect(try await daemon.document().version > old.version)
            }
        }

        @Test func `knows what codes mean, so a payday of refusals moves nobody afterwards either`() async throws {
            let folder = try TemporaryFolder()
            let refusal: (inout SampleEvent) -> Void = {
                $0.domain = "iso8583"
                $0.code = "51"
            }
            for series in ["before", "after"] {
                try await withDaemon(on: folder) { daemon in
                    try await daemon.report(SampleEvent.failures(1...150, series: series, refusal))
                    #expect(try await daemon.variant() == "native", "\(series) the restart")
                }
            }
        }

        @Test func `another folder is another epoch`() async throws {
            var epochs: [String] = []
            for _ in 1...2 {
                try await withDaemon { daemon in
                    epochs.append(try await daemon.document().epoch)
                }
            }
            #expect(Set(epochs).count == 2)
        }

        @Test func `keeps a tripped switch tripped, byte for byte`() async throws {
            let folder = try TemporaryFolder()
            var before: Reply?
            try await withDaemon(on: folder) { daemon in
                try await daemon.report(SampleEvent.failures(1...100))
                before = try await daemon.client.get("/v1/switches")
            }
            try await withDaemon(on: folder) { daemon in
                let after = try await daemon.client.get("/v1/switches")
                #expect(after.text == before?.text)
                #expect(after["etag"] == before?["etag"])
                #expect(try after.decode(Document.self).applePay?.variant == "web")
            }
        }

        @Test func `goes on counting where it stopped`() async throws {
            let folder = try TemporaryFolder()
            let starts: [ClosedRange<Int>] = [1...40, 41...80, 81...99]
            for events in starts {
                try await withDaemon(on: folder) { daemon in
                    try await daemon.report(SampleEvent.failures(events))
                    #expect(try await daemon.variant() == "native")
                }
            }
            try await withDaemon(on: folder) { daemon in
                #expect(try await daemon.variant() == "native")
                try await daemon.report(SampleEvent.failures(100...100))
                #expect(try await daemon.variant() == "web")
            }
        }

        @Test func `knows every event again, with a time of its own or without`() async throws {
            let folder = try TemporaryFolder()
            let timed = SampleEvent.failures(1...300, series: "timed") {
                $0.occurredAt = SampleEvent.time(secondsFromNow: -30)
                $0.attemptId = "one"
            }
            let untimed = SampleEvent.failures(1...300, series: "untimed") { $0.attemptId = "one" }
            try await withDaemon(on: folder) { daemon in
                let verdict = try await daemon.report(timed + untimed)
                #expect(verdict.accepted == 600)
            }
            try await withDaemon(on: folder) { daemon in
                let again = try await daemon.report(timed + untimed)
                #expect(again.accepted == 0)
                #expect(again.duplicates == 600)
                #expect(try await daemon.variant() == "native")
            }
        }

        @Test func `keeps a restore restored`() async throws {
            let folder = try TemporaryFolder()
            try await withDaemon(on: folder) { daemon in
                try await daemon.report(SampleEvent.failures(1...100))
                try await daemon.restore()
                try await daemon.report(SampleEvent.failures(201...250))
            }
            try await withDaemon(on: folder) { daemon in
                #expect(try await daemon.variant() == "native")
                try await daemon.report(SampleEvent.failures(251...299))
                #expect(try await daemon.variant() == "native")
                try await daemon.report(SampleEvent.failures(300...300))
                #expect(try await daemon.variant() == "web")
            }
        }
    }
}
