import Foundation
import Testing

extension EndToEnd {
    /// The forms in which events come, and what becomes of a batch with some bad ones.
    @Suite struct `Intake` {
        struct Form: Sendable, CustomTestStringConvertible {
            let name: String
            var type = "application/json"
            var coding: String?
            let accepted: Int
            let bytes: @Sendable () async throws -> [UInt8]

            var testDescription: String { name }
        }

        static let forms = [
            Form(name: "one event", accepted: 1) { Array(SampleEvent(1).json.utf8) },
            Form(name: "an array", accepted: 3) { Array(SampleEvent.array(SampleEvent.failures(1...3)).utf8) },
            Form(name: "an envelope with the time of sending", accepted: 3) {
                let events = SampleEvent.array(SampleEvent.failures(1...3))
                return Array(#"{"sentAt":"\#(SampleEvent.time(secondsFromNow: 0))","events":\#(events)}"#.utf8)
            },
            Form(name: "an envelope without", accepted: 3) {
                Array(#"{"events":\#(SampleEvent.array(SampleEvent.failures(1...3)))}"#.utf8)
            },
            Form(name: "lines", type: "application/x-ndjson", accepted: 3) {
                Array(SampleEvent.lines(SampleEvent.failures(1...3)).utf8)
            },
            Form(name: "lines, the last one unended", type: "application/x-ndjson", accepted: 3) {
                Array(SampleEvent.lines(SampleEvent.failures(1...3)).utf8.dropLast())
            },
            Form(name: "a type with a parameter", type: "application/json; charset=utf-8", accepted: 1) {
                Array(SampleEvent(1).json.utf8)
            },
            Form(name: "gzip", coding: "gzip", accepted: 1000) {
                try await gzip(Array(SampleEvent.array(SampleEvent.failures(1...1000)).utf8))
            },
            Form(name: "lines in gzip", type: "application/x-ndjson", coding: "gzip", accepted: 3) {
                try await gzip(Array(SampleEvent.lines(SampleEvent.failures(1...3)).utf8))
            },
            Form(name: "a number as code", accepted: 1) { Array(#"{"error":{"code":8771}}"#.utf8) },
            Form(name: "a success without an error", accepted: 1) { Array(#"{"outcome":"succeeded"}"#.utf8) },
            Form(name: "fields that nobody knows", accepted: 1) {
                Array(#"{"error":{"code":"8771","mood":"bad"},"weather":{"rain":true}}"#.utf8)
            },
        ]

        @Test(arguments: forms)
        func `takes`(_ form: Form) async throws {
            try await withDaemon { daemon in
                let headers = form.coding.map { ["Content-Encoding": $0] } ?? [:]
                let bytes = try await form.bytes()
                let reply = try await daemon.client.post(
                    "/v1/events",
                    bytes: bytes,
                    type: form.type,
                    headers: headers
                )
                #expect(reply.status == 202, "\(reply)")
                let verdict = try reply.decode(Verdict.self)
                #expect(verdict.accepted == form.accepted)
                #expect(verdict.rejected.isEmpty)
                #expect(verdict.pollAfterSec > 0)
            }
        }

        @Test func `takes the good events of a batch and says what is wrong with the others`() async throws {
            try await withDaemon { daemon in
                let batch =
                    "[" + SampleEvent(1).json + #",{"error":{}},"# + SampleEvent(2).json + #",42,"#
                    + #"{"error":{"code":"8771"},"amount":{"minor":"many","currency":"CNY"}},"# + SampleEvent(1).json
                    + "]"
                let reply = try await daemon.client.post("/v1/events", batch)
                #expect(reply.status == 202, "\(reply)")
                let verdict = try reply.decode(Verdict.self)
                #expect(verdict.accepted == 2)
                #expect(verdict.duplicates == 1)
                #expect(verdict.rejected.map(\.index) == [1, 3, 4])
                #expect(verdict.rejected.first?.pointer == "/error/code")
                #expect(verdict.rejected.first?.code == "missing")
                #expect(verdict.rejected.allSatisfy { !$0.detail.isEmpty })
            }
        }

        @Test func `takes the good lines around bad ones`() async throws {
            try await withDaemon { daemon in
                let lines = SampleEvent(1).json + "\n{\"error\":{}}\n{\"error\n" + SampleEvent(2).json + "\n"
                let reply = try await daemon.client.post("/v1/events", lines, type: "application/x-ndjson")
                #expect(reply.status == 202, "\(reply)")
                let verdict = try reply.decode(Verdict.self)
                #expect(verdict.accepted == 2)
                #expect(verdict.rejected.map(\.index) == [1, 2])
            }
        }

        @Test func `an event beyond its limit is refused alone`() async throws {
            try await withDaemon { daemon in
                var large = SampleEvent(2)
                large.code = String(repeating: "9", count: 70_000)
                let reply = try await daemon.client.post("/v1/events", SampleEvent.array([SampleEvent(1), large]))
                #expect(reply.status == 202, "\(reply.status)")
                let verdict = try reply.decode(Verdict.self)
                #expect(verdict.accepted == 1)
                #expect(verdict.rejected.map(\.index) == [1])
            }
        }

        @Test func `counts what it has seen in its metrics`() async throws {
            try await withDaemon { daemon in
                try await daemon.report(SampleEvent.failures(1...3) + SampleEvent.failures(3...3))
                let metrics = try await daemon.client.get("/metrics")
                #expect(metrics.status == 200)
                #expect(metrics["content-type"]?.hasPrefix("text/plain") == true)
                let lines = metrics.text.split(separator: "\n")
                #expect(lines.contains("shunt_events_duplicate_total 1"))
                for name in ["shunt_events_total", "shunt_commit_duration_seconds_count", "shunt_build_info"] {
                    #expect(lines.contains { $0.hasPrefix(name) }, "no \(name)")
                }
            }
        }
    }
}

/// What the `gzip` command makes of these bytes.
func gzip(_ bytes: [UInt8]) async throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let input = folder.url.appending(path: "body")
    try Data(bytes).write(to: input)
    let gzip = Process()
    gzip.executableURL = URL(filePath: "/usr/bin/env")
    gzip.arguments = ["gzip", "-n", input.path]
    let ended = Promise<Int32>("the end of gzip")
    gzip.terminationHandler = { ended.settle(.success($0.terminationStatus)) }
    try gzip.run()
    guard try await ended.value(withinSeconds: 20) == 0 else { throw CocoaError(.executableRuntimeMismatch) }
    return Array(try Data(contentsOf: folder.url.appending(path: "body.gz")))
}
