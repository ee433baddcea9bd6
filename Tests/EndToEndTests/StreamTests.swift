import Testing

extension EndToEnd {
    /// What an app sees that stays connected.
    @Suite struct `Streaming` {
        @Test func `a stream tells of the trip, and what it tells of can be fetched`() async throws {
            try await withDaemon { daemon in
                let stream = try StreamClient(daemon)
                let reply = try await stream.reply()
                #expect(reply.status == 200)
                #expect(reply["content-type"] == "text/event-stream")
                #expect(reply["cache-control"] == "no-store")
                #expect(reply["x-accel-buffering"] == "no")
                let first = try await stream.next()
                #expect(first.version == (try await daemon.document().version))
                try await daemon.report(SampleEvent.failures(1...100))
                let second = try await stream.next()
                #expect(second.type == "refetchEvaluation")
                #expect(second.version > first.version)
                let document = try await daemon.client.get("/v1/switches")
                #expect(document["etag"] == second.etag)
                #expect(try document.decode(Document.self).applePay?.variant == "web")
                try await daemon.restore()
                #expect(try await stream.next().version > second.version)
            }
        }

        @Test func `a daemon ends at once although streams are open, and whoever comes back sees what it missed`()
            async throws
        {
            let folder = try TemporaryFolder()
            let daemon = try await RunningDaemon.start(on: folder)
            var streams: [StreamClient] = []
            for _ in 0..<20 { streams.append(try StreamClient(daemon)) }
            var last = 0
            for stream in streams { last = try await stream.next().version }
            let clock = ContinuousClock()
            let start = clock.now
            #expect(try await daemon.stop() == .exit(0))
            let took = clock.now - start
            #expect(took < .seconds(4), "\(took)")
            for stream in streams { #expect(try await stream.ending() == "") }

            try await withDaemon(on: folder) { daemon in
                try await daemon.report(SampleEvent.failures(1...100))
                let again = try StreamClient(daemon)
                let missed = try await again.next()
                #expect(missed.version > last)
                #expect(try await daemon.client.get("/v1/switches")["etag"] == missed.etag)
                try await daemon.restore()
                #expect(try await again.next().version > missed.version)
            }
        }
    }
}
