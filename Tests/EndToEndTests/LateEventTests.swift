import Testing

extension EndToEnd {
    /// An offline queue that is flushed tells of the past, and the past doesn't trip a switch. The exact edge of the
    /// window is in the core's tests, where time is a parameter.
    @Suite struct `Late events` {
        @Test func `what happened before the longest window is stored, marked, and not counted`() async throws {
            try await withDaemon { daemon in
                let old = SampleEvent.failures(1...150, series: "old") {
                    $0.occurredAt = SampleEvent.time(secondsFromNow: -2 * 3600)
                }
                let verdict = try await daemon.report(old)
                #expect(verdict.accepted == 150)
                #expect(verdict.late == 150)
                #expect(try await daemon.variant() == "native")

                // Stored: each is known when it comes again.
                #expect(try await daemon.report(old).duplicates == 150)

                #expect(try await daemon.report(SampleEvent.failures(1...99)).late == 0)
                #expect(try await daemon.variant() == "native")
                try await daemon.report(SampleEvent.failures(100...100))
                #expect(try await daemon.variant() == "web")
            }
        }

        @Test func `what happened within the window counts when it arrives`() async throws {
            try await withDaemon { daemon in
                let recent = SampleEvent.failures(1...100) {
                    $0.occurredAt = SampleEvent.time(secondsFromNow: -4 * 60)
                }
                let verdict = try await daemon.report(recent)
                #expect(verdict.accepted == 100)
                #expect(verdict.late == 0)
                #expect(try await daemon.variant() == "web")
            }
        }

        @Test func `late and fresh events in one batch are told apart`() async throws {
            try await withDaemon { daemon in
                let old = SampleEvent.failures(1...50, series: "old") {
                    $0.occurredAt = SampleEvent.time(secondsFromNow: -2 * 3600)
                }
                let fresh = SampleEvent.failures(1...99) { $0.occurredAt = SampleEvent.time(secondsFromNow: 0) }
                let verdict = try await daemon.report(old + fresh)
                #expect(verdict.accepted == 149)
                #expect(verdict.late == 50)
                #expect(try await daemon.variant() == "native")
            }
        }

        @Test func `a client whose clock is an hour slow is corrected, not called late`() async throws {
            try await withDaemon { daemon in
                let slow = SampleEvent.time(secondsFromNow: -3600)
                let events = SampleEvent.array(SampleEvent.failures(1...100) { $0.occurredAt = slow })
                let reply = try await daemon.client.post("/v1/events", #"{"sentAt":"\#(slow)","events":\#(events)}"#)
                let verdict = try reply.decode(Verdict.self)
                #expect(verdict.accepted == 100)
                #expect(verdict.late == 0)
                #expect(try await daemon.variant() == "web")
            }
        }
    }
}
