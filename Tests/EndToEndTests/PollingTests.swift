import Testing

extension EndToEnd {
    /// What an app, a browser and a CDN see of the switches.
    @Suite struct `Polling` {
        @Test func `a document has a strong tag, and answers 304 to whoever has it`() async throws {
            try await withDaemon { daemon in
                let first = try await daemon.client.get("/v1/switches")
                #expect(first.status == 200)
                #expect(first["content-type"] == "application/json")
                #expect(first["cache-control"] == "public, max-age=5, stale-while-revalidate=30, stale-if-error=600")
                let tag = try #require(first["etag"])
                #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count > 10)

                let same = [tag, "W/\(tag)", "*", "\"other\", \(tag)", "W/\"other\" ,W/\(tag)", " \(tag) "]
                for condition in same {
                    let reply = try await daemon.client.get("/v1/switches", headers: ["If-None-Match": condition])
                    #expect(reply.status == 304, "\(condition)")
                    #expect(reply.body.isEmpty, "\(condition)")
                    #expect(reply["etag"] == tag, "\(condition)")
                    #expect(reply["cache-control"] == first["cache-control"], "\(condition)")
                }
                for condition in ["\"other\"", "W/\"other\"", tag.filter { $0 != "\"" }, "\"\"", ""] {
                    let reply = try await daemon.client.get("/v1/switches", headers: ["If-None-Match": condition])
                    #expect(reply.status == 200, "\(condition)")
                    #expect(reply.body == first.body, "\(condition)")
                }
            }
        }

        @Test func `the tag changes with a switch and with nothing else`() async throws {
            try await withDaemon { daemon in
                let calm = try await daemon.client.get("/v1/switches")
                try await daemon.report(SampleEvent.failures(1...99))
                #expect(try await daemon.client.get("/v1/switches")["etag"] == calm["etag"])
                try await daemon.report(SampleEvent.failures(100...100))
                let condition = ["If-None-Match": try #require(calm["etag"])]
                let tripped = try await daemon.client.get("/v1/switches", headers: condition)
                #expect(tripped.status == 200)
                #expect(tripped["etag"] != calm["etag"])
                #expect(try tripped.decode(Document.self).applePay?.variant == "web")
            }
        }

        @Test func `HEAD is GET without the body`() async throws {
            try await withDaemon { daemon in
                for target in ["/v1/switches", "/v1/switches/apple-pay", "/healthz"] {
                    let get = try await daemon.client.get(target)
                    let head = try await daemon.client.send("HEAD", target)
                    #expect(head.status == get.status, "\(target)")
                    #expect(head.body.isEmpty, "\(target)")
                    #expect(head["content-length"] == get["content-length"], "\(target)")
                    #expect(head["etag"] == get["etag"], "\(target)")
                }
            }
        }

        @Test func `one switch can be asked for alone`() async throws {
            try await withDaemon { daemon in
                let reply = try await daemon.client.get("/v1/switches/apple-pay")
                #expect(reply.status == 200)
                let one = try reply.decode(Document.Switch.self)
                #expect(one.key == "apple-pay")
                #expect(one.variant == "native")
                let condition = ["If-None-Match": try #require(reply["etag"])]
                #expect(try await daemon.client.get("/v1/switches/apple-pay", headers: condition).status == 304)
            }
        }

        @Test func `a waiting poll is woken by the trip`() async throws {
            try await withDaemon { daemon in
                let version = try await daemon.document().version
                let clock = ContinuousClock()
                let start = clock.now
                async let woken = daemon.client.get("/v1/switches?after=\(version)&waitSec=20")
                async let alone = daemon.client.get("/v1/switches/apple-pay?after=\(version)&waitSec=20")
                // Ninety-nine commits are time enough for both to be waiting.
                for event in SampleEvent.failures(1...99) { try await daemon.report([event]) }
                try await daemon.report(SampleEvent.failures(100...100))
                let document = try await woken.decode(Document.self)
                #expect(document.version > version)
                #expect(document.applePay?.variant == "web")
                #expect(try await alone.decode(Document.Switch.self).variant == "web")
                // Unwoken they would have waited for all of the twenty seconds.
                let waited = clock.now - start
                #expect(waited < .seconds(10), "\(waited)")
            }
        }

        @Test func `a poll for an older version is answered at once, one for a newer waits and ends in 304`()
            async throws
        {
            try await withDaemon { daemon in
                try await daemon.report(SampleEvent.failures(1...100))
                let version = try await daemon.document().version
                let clock = ContinuousClock()
                var start = clock.now
                let old = try await daemon.client.get("/v1/switches?after=\(version - 1)&waitSec=20")
                #expect(old.status == 200)
                #expect(clock.now - start < .seconds(5))

                start = clock.now
                let current = try await daemon.client.get("/v1/switches?after=\(version)&waitSec=1")
                #expect(current.status == 304)
                #expect(clock.now - start >= .milliseconds(900))
            }
        }

        @Test func `a wait that makes no sense is refused`() async throws {
            try await withDaemon { daemon in
                for query in ["after=x&waitSec=5", "after=1&waitSec=x", "after=-1&waitSec=5", "after=1&waitSec=-5"] {
                    let reply = try await daemon.client.get("/v1/switches?\(query)")
                    #expect(reply.status == 400, "\(query): \(reply)")
                    #expect(reply["content-type"] == "application/problem+json")
                }
            }
        }
    }
}
