import Foundation
import ShuntCore
import ShuntNative
import ShuntSchema
import Testing

@testable import ShuntServer

/// `/metrics`, as Prometheus reads it.
@Suite struct MetricsTextTests {
    /// Where Prometheus' own judge is, if it is installed.
    static let promtool: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/promtool" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    private static let hostile = [
        "plain", "", "a\"b", "a\\b", "a\nb", "\\n", "\u{1}\u{0}", "ä{}=,", "\u{2028}", "a\r\nb",
    ]

    /// A page with everything on it.
    private func page() -> String {
        let metrics = Metrics()
        var tally = EventTally()
        for (number, text) in Self.hostile.enumerated() {
            var event = PaymentEvent.failure(text)
            event.error?.domain = text
            event.source = text
            event.outcome = Outcome.allCases[number % 4]
            tally.count(event, meaning: .network)
        }
        var counter = PaymentEvent(outcome: .succeeded)
        counter.source = "backend"
        counter.counts = Counts(from: Moment.noon, to: Moment.noon, count: 57)
        tally.count(counter, meaning: .notFailure)
        tally.count(WorkResult(accepted: 5, duplicates: 2, late: 1))
        metrics.add(tally, lastSeq: 12)
        metrics.rejected(["missing": 3, "tooLong": 1], unknownFields: 4)
        metrics.polled(status: 200)
        metrics.polled(status: 304)
        metrics.refused(.role)
        metrics.streamEnded(.tooSlow)
        metrics.commitFailed()
        for nanoseconds: Int64 in [0, 400_000, 500_000, 3_000_000_000, 99_000_000_000] {
            metrics.committed(inNs: nanoseconds)
            metrics.ingested(inNs: nanoseconds)
            metrics.detected(afterNs: nanoseconds)
        }
        var state = State()
        let scopes = Self.hostile.filter { !$0.isEmpty }.map { Scope(environment: $0) }
        let region = Scope(environment: "production", attributes: [ScopeAttribute(name: "region", value: "C\"N")])
        _ = state.apply(Entry(seq: 1, at: Moment.noon, input: .configured(.builtIn)))
        var seq: UInt64 = 1
        for scope in scopes + [region] {
            seq += 1
            let command = SwitchCommand(action: .trip, key: "apple-pay", scope: scope, actor: "a", reason: "r")
            for effect in state.apply(Entry(seq: seq, at: Moment.noon, input: .command(command))) {
                if case .switchMoved(let transition) = effect.kind { metrics.moved(transition) }
            }
        }
        let board = Board()
        board.publish(state)
        return MetricsText.render(
            metrics.snapshot,
            gauges: MetricsText.Gauges(
                documents: board.documents.map { ($0.environment, $0.document.document) },
                journalBytes: 4096,
                parkedPolls: 3,
                streams: 4,
                areRulesGood: true,
                outbox: (count: 2, ageMs: 61_000),
                version: "0.1.0"
            )
        )
    }

    @Test func `hostile values are escaped and stay on their lines`() {
        let lines = page().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.last == "")
        for line in lines.dropLast() where !line.hasPrefix("#") {
            #expect(line.hasPrefix("shunt_"), "\(line)")
            let value = line.split(separator: " ").last.flatMap { Double($0) }
            #expect(value != nil, "\(line)")
        }
        #expect(lines.contains(#"shunt_error_events_total{domain="a\"b",code="a\"b"} 1"#))
        #expect(lines.contains(#"shunt_error_events_total{domain="a\\b",code="a\\b"} 1"#))
        #expect(lines.contains(#"shunt_error_events_total{domain="a\nb",code="a\nb"} 1"#))
        #expect(lines.contains(#"shunt_error_events_total{domain="??",code="??"} 1"#))
    }

    @Test func `no series comes twice, and each family once`() {
        let lines = page().split(separator: "\n")
        let series = lines.filter { !$0.hasPrefix("#") }.map {
            $0.split(separator: " ").dropLast().joined(separator: " ")
        }
        #expect(Set(series).count == series.count)
        let families = lines.filter { $0.hasPrefix("# TYPE") }
        #expect(Set(families).count == families.count)
        #expect(families.count == lines.count { $0.hasPrefix("# HELP") })
    }

    @Test func `counters count what they stand for`() {
        let text = page()
        for line in [
            #"shunt_events_total{class="notFailure",outcome="succeeded",source="backend"} 57"#,
            "shunt_events_duplicate_total 2", "shunt_rules_last_reload_successful 1", "shunt_events_late_total 1",
            "shunt_events_unknown_fields_total 4",
            #"shunt_events_rejected_total{reason="missing"} 3"#, #"shunt_polls_total{code="304"} 1"#,
            #"shunt_access_refused_total{reason="role"} 1"#, #"shunt_access_refused_total{reason="missing"} 0"#,
            "shunt_streams 4", #"shunt_streams_ended_total{reason="tooSlow"} 1"#,
            "shunt_polls_parked 3", "shunt_commit_failures_total 1", "shunt_journal_bytes 4096",
            "shunt_journal_last_seq 12", #"shunt_build_info{version="0.1.0"} 1"#,
            #"shunt_switch_degraded{switch="apple-pay",scope="production"} 0"#,
            #"shunt_switch_degraded{switch="apple-pay",scope="production, region=C\"N"} 1"#,
            #"shunt_switch_degraded{switch="apple-pay",scope="plain"} 1"#,
        ] { #expect(text.contains(line + "\n"), "\(line)") }
    }

    @Test func `a histogram's buckets add up, and its ends are exact`() {
        let text = page()
        for line in [
            #"shunt_commit_duration_seconds_bucket{le="0.0005"} 3"#,
            #"shunt_commit_duration_seconds_bucket{le="1.0"} 3"#,
            #"shunt_commit_duration_seconds_bucket{le="5.0"} 4"#, #"shunt_commit_duration_seconds_bucket{le="+Inf"} 5"#,
            "shunt_commit_duration_seconds_count 5",
        ] { #expect(text.contains(line + "\n"), "\(line)") }
    }

    @Test func `the same values are the same page`() {
        #expect(page() == page())
    }

    @Test func `error keys beyond the cap are counted together, and none is lost`() {
        let metrics = Metrics()
        for round in 0..<2 {
            var tally = EventTally()
            for number in 0..<(Metrics.maximumErrorSeries + 100) {
                tally.count(.failure("code-\(number)"), meaning: .unknown)
            }
            metrics.add(tally, lastSeq: UInt64(round))
        }
        let errors = metrics.snapshot.errors
        #expect(errors.count == Metrics.maximumErrorSeries + 1)
        #expect(errors[Metrics.ErrorLabels(domain: "_other", code: "_other")] == 200)
        #expect(errors.values.reduce(0, +) == UInt64(2 * (Metrics.maximumErrorSeries + 100)))
    }

    @Test func `sources are a short list`() {
        var tally = EventTally()
        for number in 0..<100 {
            var event = PaymentEvent.failure()
            event.source = "source-\(number)"
            tally.count(event, meaning: .network)
        }
        #expect(tally.events == [Metrics.EventLabels(failureClass: .network, outcome: .failed, source: "other"): 100])
    }

    @Test(.enabled(if: promtool != nil, "promtool isn't installed (Debian: apt-get install prometheus)"))
    func `promtool finds nothing to complain about`() throws {
        let server = try TestServer()
        defer { server.stop() }
        _ = try server.post("/v1/events", #"[{"error":{"code":"1","domain":"a\"\\\n"}},{"error":{}}]"#)
        _ = try server.get("/v1/switches")
        for text in [page(), try server.get("/metrics").text] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: try #require(Self.promtool))
            process.arguments = ["check", "metrics"]
            let input = Pipe()
            let output = Pipe()
            process.standardInput = input
            process.standardOutput = output
            process.standardError = output
            try process.run()
            try input.fileHandleForWriting.write(contentsOf: Array(text.utf8))
            try input.fileHandleForWriting.close()
            let complaints = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect(complaints == "")
        }
    }
}
