import Foundation
import Testing

/// `shunt errors`, against the real daemon.
@Suite struct ErrorToolTests {
    private func shunt(_ daemon: RunningDaemon, _ words: String...) async throws -> (status: Int, text: String) {
        let finished = try await ChildProcess.run(words + ["--url", daemon.url])
        guard case .exit(let status) = finished.end else { return (-1, "\(finished)") }
        return (Int(status), finished.output + finished.errors)
    }

    private func isNarrow(_ text: String) -> Bool { text.split(separator: "\n").allSatisfy { $0.count <= 80 } }

    @Test func `support types what a payer copied, before and after a kill`() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await RunningDaemon.start(on: folder)
        do {
            let calm = try await shunt(daemon, "errors")
            #expect(calm.status == 0 && calm.text.hasPrefix("production: "), "\(calm.text)")
            let nobody = try await shunt(daemon, "errors", "8771")
            #expect(nobody.status == 1 && nobody.text.contains("no event had the code 8771"), "\(nobody.text)")
            try await daemon.report(SampleEvent.failures(1...120))
            try await daemon.report(SampleEvent.failures(1...300, series: "ok") { $0.outcome = "succeeded" })
        } catch {
            try? await daemon.crash()
            throw error
        }
        try await daemon.crash()
        try await withDaemon(on: folder) { daemon in
            let list = try await shunt(daemon, "errors")
            #expect(list.text.contains("420 payments in 5 min, 71.4 % succeeded"), "\(list.text)")
            #expect(list.text.contains("verify/8771"))
            #expect(list.text.contains("CNY 47,880.00"))
            #expect(isNarrow(list.text))
            let page = try await shunt(daemon, "errors", "8771")
            #expect(page.status == 0)
            #expect(page.text.contains("120 in 5 min, 120 in 1 h, 120 in 24 h, 120 in all"), "\(page.text)")
            #expect(page.text.contains("120 attempts, 28.5 % of all, 120 payers, CNY 47,880.00 failed"))
            #expect(page.text.contains("event-a-120"))
            #expect(page.text.contains("apple-pay (production) degraded → web"))
            #expect(isNarrow(page.text))
            let json = try await shunt(daemon, "errors", "8771", "--json")
            let answer = try #require(
                try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any]
            )
            #expect((answer["keys"] as? [[String: Any]])?.first?["total"] as? Int == 120)
        }
    }

    @Test func `what isn't an option is said to be none`() async throws {
        for (words, part) in [
            (["errors", "a", "b"], "unexpected argument b"), (["errors", "--window", "5 minutes"], "--window"),
            (["errors", "--class", "bad"], "expected class to be one of"),
            (["errors", "--windw", "5m"], "unknown option --windw"),
        ] {
            try await withDaemon { daemon in
                let finished = try await ChildProcess.run(words + ["--url", daemon.url])
                #expect(finished.end == .exit(2), "\(finished)")
                #expect(finished.errors.contains(part), "\(finished.errors)")
            }
        }
    }
}

/// `shunt in-doubt` and `shunt attempt`, against the real daemon.
@Suite struct AttemptToolTests {
    private func shunt(_ daemon: RunningDaemon, _ words: String...) async throws -> (status: Int, text: String) {
        let finished = try await ChildProcess.run(words + ["--url", daemon.url])
        guard case .exit(let status) = finished.end else { return (-1, "\(finished)") }
        return (Int(status), finished.output + finished.errors)
    }

    private func timeout(_ attempt: String) -> String {
        #"{"eventId":"e-\#(attempt)","stage":"charge","outcome":"failed","attemptId":"\#(attempt)","#
            + #""orderRef":"INT-1","error":{"domain":"NSURLErrorDomain","code":"-1001"},"#
            + #""amount":{"minor":39900,"currency":"CNY"}}"#
    }

    @Test func `what is in doubt is there after a kill, until somebody settles it`() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await RunningDaemon.start(on: folder)
        do {
            let calm = try await shunt(daemon, "in-doubt")
            #expect(calm.text == "production: nothing is in doubt.\n")
            let reply = try await daemon.client.post("/v1/events", timeout("at-1"))
            #expect(reply.status == 202)
        } catch {
            try? await daemon.crash()
            throw error
        }
        try await daemon.crash()
        try await withDaemon(on: folder) { daemon in
            let list = try await shunt(daemon, "in-doubt")
            #expect(list.text.contains("production: 1 in doubt"), "\(list.text)")
            #expect(list.text.contains("at-1, order INT-1, CNY 399.00"))
            #expect(list.text.contains("NSURLErrorDomain/-1001"))
            let one = try await shunt(daemon, "attempt", "INT-1")
            #expect(one.text.contains("must not be tried for this order"), "\(one.text)")
            #expect(try await shunt(daemon, "attempt", "settle", "at-1", "--result", "paid").status == 2)
            let settled = try await shunt(
                daemon,
                "attempt",
                "settle",
                "at-1",
                "--result",
                "notPaid",
                "--note",
                "query says 34"
            )
            #expect(settled.text == "at-1 is notPaid now.\n", "\(settled.text)")
            #expect(try await shunt(daemon, "in-doubt").text == "production: nothing is in doubt.\n")
            let after = try await shunt(daemon, "attempt", "at-1")
            #expect(after.text.contains("settled as notPaid by"), "\(after.text)")
            #expect(after.text.contains("query says 34"))
            #expect(after.text.split(separator: "\n").allSatisfy { $0.count <= 80 })
            #expect(try await shunt(daemon, "attempt", "nobody").status == 1)
        }
    }
}
