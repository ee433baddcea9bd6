import Testing

extension EndToEnd {
    /// One error code, a hundred attempts in five minutes: payments go to the web.
    @Suite struct `The founding example` {
        @Test func `ninety-nine attempts leave it native, the hundredth sends it to the web, more change nothing`()
            async throws
        {
            try await withDaemon { daemon in
                let calm = try await daemon.document()
                #expect(calm.applePay?.state == "normal")
                #expect(calm.applePay?.variant == "native")

                let first = try await daemon.report(SampleEvent.failures(1...99))
                #expect(first.accepted == 99)
                #expect(first.switchVersion == calm.version)
                #expect(try await daemon.document().version == calm.version)
                #expect(try await daemon.variant() == "native")

                let crossing = try await daemon.report(SampleEvent.failures(100...100))
                // The 202 says that the switch already shows it, so the very next poll has to.
                let tripped = try await daemon.document()
                #expect(tripped.applePay?.state == "degraded")
                #expect(tripped.applePay?.variant == "web")
                #expect(tripped.applePay?.reason?.kind == "rule")
                #expect(tripped.applePay?.reason?.rule == "error-code-burst")
                #expect(tripped.version > calm.version)
                #expect(crossing.switchVersion == tripped.version)

                let after = try await daemon.report(SampleEvent.failures(101...101))
                #expect(after.switchVersion == tripped.version)
                #expect(try await daemon.document().version == tripped.version)
            }
        }

        @Test func `it trips alike when every event comes alone`() async throws {
            try await withDaemon { daemon in
                for event in SampleEvent.failures(1...99) { try await daemon.report([event]) }
                #expect(try await daemon.variant() == "native")
                try await daemon.report(SampleEvent.failures(100...100))
                #expect(try await daemon.variant() == "web")
            }
        }

        @Test func `it trips in the middle of one batch`() async throws {
            try await withDaemon { daemon in
                let verdict = try await daemon.report(SampleEvent.failures(1...150))
                #expect(verdict.accepted == 150)
                let document = try await daemon.document()
                #expect(document.applePay?.variant == "web")
                #expect(verdict.switchVersion == document.version)
            }
        }

        @Test func `an event with nothing but its code counts`() async throws {
            try await withDaemon { daemon in
                let minimal = #"{"error":{"code":"8771"}}"#
                let many = "[" + Array(repeating: minimal, count: 99).joined(separator: ",") + "]"
                let first = try await daemon.client.post("/v1/events", many)
                #expect(first.status == 202)
                #expect(try await daemon.variant() == "native")
                let crossing = try await daemon.client.post("/v1/events", minimal)
                #expect(crossing.status == 202)
                #expect(try await daemon.variant() == "web")
            }
        }

        @Test func `an event sent again doesn't count again`() async throws {
            try await withDaemon { daemon in
                try await daemon.report(SampleEvent.failures(1...99))
                for _ in 1...3 {
                    let again = try await daemon.report(SampleEvent.failures(50...99))
                    #expect(again.accepted == 0)
                    #expect(again.duplicates == 50)
                }
                let twice = SampleEvent.failures(99...99) + SampleEvent.failures(99...99)
                #expect(try await daemon.report(twice).duplicates == 2)
                #expect(try await daemon.variant() == "native")
                try await daemon.report(SampleEvent.failures(100...100))
                #expect(try await daemon.variant() == "web")
            }
        }

        @Test func `an event twice in one batch counts once`() async throws {
            try await withDaemon { daemon in
                let verdict = try await daemon.report(SampleEvent.failures(1...99) + SampleEvent.failures(1...99))
                #expect(verdict.accepted == 99)
                #expect(verdict.duplicates == 99)
                #expect(try await daemon.variant() == "native")
            }
        }

        @Test func `one attempt that fails a hundred times counts once`() async throws {
            try await withDaemon { daemon in
                let loop = SampleEvent.failures(1...200) {
                    $0.attemptId = "the-same"
                    $0.installId = "the-same"
                }
                #expect(try await daemon.report(loop).accepted == 200)
                #expect(try await daemon.variant() == "native")
                // It did count once: ninety-eight others beside it aren't enough, ninety-nine are.
                try await daemon.report(SampleEvent.failures(201...298))
                #expect(try await daemon.variant() == "native")
                try await daemon.report(SampleEvent.failures(299...299))
                #expect(try await daemon.variant() == "web")
            }
        }

        @Test func `environments count apart, and a sandbox never moves production`() async throws {
            try await withDaemon { daemon in
                let sandbox = SampleEvent.failures(1...99, series: "sandbox") { $0.environment = "sandbox" }
                try await daemon.report(sandbox)
                try await daemon.report(SampleEvent.failures(1...99))
                #expect(try await daemon.variant() == "native")
                #expect(try await daemon.variant(environment: "sandbox") == "native")

                let more = SampleEvent.failures(100...150, series: "sandbox") { $0.environment = "sandbox" }
                try await daemon.report(more)
                #expect(try await daemon.variant() == "native")

                try await daemon.report(SampleEvent.failures(100...100))
                #expect(try await daemon.variant() == "web")
                #expect(try await daemon.variant(environment: "test") == "native")
            }
        }

        @Test func `error codes count apart, and so do the domains that they belong to`() async throws {
            try await withDaemon { daemon in
                try await daemon.report(SampleEvent.failures(1...99, series: "a"))
                try await daemon.report(SampleEvent.failures(1...99, series: "b") { $0.code = "8772" })
                try await daemon.report(SampleEvent.failures(1...99, series: "c") { $0.domain = "gateway" })
                #expect(try await daemon.variant() == "native")
                try await daemon.report(SampleEvent.failures(100...100, series: "c") { $0.domain = "gateway" })
                #expect(try await daemon.variant() == "web")
            }
        }

        @Test func `payments that succeed count for nothing`() async throws {
            try await withDaemon { daemon in
                let paid = SampleEvent.failures(1...200) { $0.outcome = "succeeded" }
                let verdict = try await daemon.report(paid)
                #expect(verdict.accepted == 200)
                #expect(try await daemon.variant() == "native")
            }
        }

        @Test func `a restored switch counts from nothing and trips again on the hundredth`() async throws {
            try await withDaemon { daemon in
                try await daemon.report(SampleEvent.failures(1...120))
                let tripped = try await daemon.document()
                #expect(tripped.applePay?.variant == "web")

                #expect(try await daemon.restore("certificate replaced").status == 200)
                let restored = try await daemon.document()
                #expect(restored.applePay?.state == "normal")
                #expect(restored.applePay?.variant == "native")
                #expect(restored.version > tripped.version)

                try await daemon.report(SampleEvent.failures(201...299))
                #expect(try await daemon.variant() == "native")
                try await daemon.report(SampleEvent.failures(300...300))
                let again = try await daemon.document()
                #expect(again.applePay?.variant == "web")
                #expect(again.version > restored.version)
            }
        }

        @Test func `a restore has to say why`() async throws {
            try await withDaemon { daemon in
                try await daemon.report(SampleEvent.failures(1...100))
                for body in ["{}", #"{"reason":""}"#, "", "restore"] {
                    let reply = try await daemon.client.post("/v1/switches/apple-pay/restore", body)
                    #expect((400...422).contains(reply.status), "\(body): \(reply)")
                    #expect(try reply.decode(Problem.self).status == reply.status)
                }
                #expect(try await daemon.variant() == "web")
                let unknown = try await daemon.client.post("/v1/switches/no-such/restore", #"{"reason":"x"}"#)
                #expect(unknown.status == 404)
            }
        }
    }
}
