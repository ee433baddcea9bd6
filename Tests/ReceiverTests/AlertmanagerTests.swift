import Foundation
import ShuntNative
import ShuntSchema
import Testing

@testable import ShuntServer

extension Receivers {
    /// Debian's own Alertmanager takes our alerts, keeps them and ends them when we say so.
    @Suite struct AlertmanagerTests {
        /// An Alertmanager on a free port that tells a webhook of ours.
        private struct Running {
            let process: ReceiverProcess
            let folder: ReceiverFolder
            let url: String

            init(telling server: VendorServer) throws {
                folder = try ReceiverFolder()
                let configuration = try folder.write(
                    """
                    route: { receiver: hook, group_by: [alertname], group_wait: 0s, group_interval: 1s, repeat_interval: 1h }
                    receivers: [ { name: hook, webhook_configs: [ { url: "\(server.url)/", send_resolved: true } ] } ]
                    """,
                    to: "alertmanager.yml"
                )
                // A free port as the kernel gives it: Alertmanager doesn't say which one it took.
                let probe = try VendorServer(.close)
                probe.stop()
                url = "http://127.0.0.1:\(probe.port)"
                process = try ReceiverProcess(
                    "prometheus-alertmanager",
                    [
                        "--config.file=\(configuration)", "--storage.path=\(folder.path)/data",
                        "--web.listen-address=127.0.0.1:\(probe.port)", "--cluster.listen-address=",
                    ]
                )
                let log = process
                try Bell.shared.wait(for: "Alertmanager") { log.output.contains("Listening on") }
                var transfer = HTTPTransfer()
                let ready = try transfer.perform(HTTPTransfer.Request(url: url + "/-/ready"))
                guard ready.status == 200 else { throw ReceiverError(description: log.output) }
            }

            /// What its own tool sees.
            func alerts() throws -> [[String: Any]] {
                let result = try ReceiverProcess.run(
                    "amtool",
                    ["--alertmanager.url=\(url)", "alert", "query", "-o", "json"]
                )
                let list = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
                return list as? [[String: Any]] ?? []
            }
        }

        /// How often an alert was told, by its status.
        private func told(_ server: VendorServer) -> [String] {
            server.requests.map { $0.body.contains(#""status":"resolved""#) ? "resolved" : "firing" }
        }

        @Test func `an alert is shown, kept over ten resends without a flap, and ended`() throws {
            let server = try VendorServer(.reply(200, ""))
            defer { server.stop() }
            let alertmanager = try Running(telling: server)
            let channel = try Sample.channel("kind: alertmanager, url: \"\(alertmanager.url)\", allowPrivate: true")
            var notice = Sample.firing()
            let startsAt = try #require(notice.alert?.startsAt.rfc3339)

            for number in 0...10 {
                #expect(Sample.sender.send(notice, through: channel).verdict == .delivered)
                let alerts = try alertmanager.alerts()
                #expect(alerts.count == 1)
                let alert = try #require(alerts.first)
                #expect(alert["startsAt"] as? String == startsAt)
                #expect((alert["status"] as? [String: Any])?["state"] as? String == "active")
                let end = try #require((alert["endsAt"] as? String).flatMap { Timestamp(rfc3339: $0) })
                let leftMs = end.milliseconds - SystemClock.wallMilliseconds
                #expect((150_000...181_000).contains(leftMs), "resend \(number): \(leftMs) ms left")
                // What changes while it fires is in the annotations, so it stays one alert.
                notice.happening = .reminder
                notice.id = "\(500 + number)-0"
                notice.at = Timestamp(milliseconds: SystemClock.wallMilliseconds)
                notice.failures.count = 133 + number
            }
            try Bell.shared.wait(for: "the first notification") { !server.requests.isEmpty }
            let labels = try #require(try alertmanager.alerts().first?["labels"] as? [String: String])
            #expect(labels["alertname"] == "error-code-burst" && labels["error_code"] == "8771")
            #expect(labels["severity"] == "critical" && labels["environment"] == "production")

            #expect(Sample.sender.send(Sample.resolved(notice), through: channel).verdict == .delivered)
            #expect(try alertmanager.alerts().isEmpty)
            try Bell.shared.wait(for: "the end") { told(server).contains("resolved") }
            // Once each, whatever was told in between.
            #expect(told(server) == ["firing", "resolved"])
        }

        @Test func `our message of version 4 has the form of Alertmanager's own`() throws {
            let server = try VendorServer(.reply(200, ""))
            defer { server.stop() }
            let alertmanager = try Running(telling: server)
            let channel = try Sample.channel("kind: alertmanager, url: \"\(alertmanager.url)\", allowPrivate: true")
            let bridge = try Sample.channel(
                "kind: alertmanagerWebhook, url: \"\(server.url)/ours\", allowPrivate: true"
            )
            let notice = Sample.firing()
            for (stage, notice) in [("firing", notice), ("resolved", Sample.resolved(notice))] {
                #expect(Sample.sender.send(notice, through: channel).verdict == .delivered)
                try Bell.shared.wait(for: "Alertmanager's own message") { told(server).contains(stage) }
                let theirs = try message(server, "POST / ")
                #expect(Sample.sender.send(notice, through: bridge).verdict == .delivered)
                let ours = try message(server, "POST /ours ")
                #expect(Set(theirs.keys).isSubset(of: ours.keys), "\(theirs.keys) \(ours.keys)")
                for key in ["version", "status", "groupKey", "groupLabels", "commonLabels", "truncatedAlerts"] {
                    #expect(ours[key] as? NSObject == theirs[key] as? NSObject, "\(key)")
                }
                let ourAlert = try #require((ours["alerts"] as? [[String: Any]])?.first)
                let theirAlert = try #require((theirs["alerts"] as? [[String: Any]])?.first)
                #expect(Set(ourAlert.keys) == Set(theirAlert.keys))
                for key in ["status", "labels"] {
                    #expect(ourAlert[key] as? NSObject == theirAlert[key] as? NSObject, "\(key)")
                }
                for key in ["startsAt", "endsAt"] {
                    #expect(try time(ourAlert[key]) == time(theirAlert[key]), "\(key)")
                }
            }
        }

        /// A time as Go writes it, which leaves out zeros at the end of a fraction.
        private func time(_ text: Any?) throws -> String {
            try #require(text as? String).replacing(#/(\.\d*?)0*Z$/#) { $0.1 == "." ? "Z" : "\($0.1)Z" }
        }

        private func message(_ server: VendorServer, _ line: String) throws -> [String: Any] {
            let body = try #require(server.requests.last { $0.line.hasPrefix(line) }).body
            return try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
        }
    }
}
