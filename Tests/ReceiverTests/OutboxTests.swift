import Foundation
import ShuntNative
import ShuntSchema
import Testing

@testable import ShuntCore
@testable import ShuntServer

extension Receivers {
    /// From a change of an alert to what receivers got, over failures, restarts and crashes.
    @Suite struct OutboxTests {
        /// An outbox over a folder, with lanes that try again soon.
        private struct Bench {
            let folder: ReceiverFolder
            let outbox: Outbox

            init(_ folder: ReceiverFolder, _ lines: KeyValuePairs<String, String>) throws {
                self.folder = folder
                outbox = Outbox(
                    folder: try Folder(path: folder.path),
                    channels: try lines.map { name, line in
                        var channel = try Sample.channel(line, in: folder)
                        channel.name = name
                        return channel
                    },
                    links: LinkTemplates(),
                    routes: [],
                    metrics: Metrics(),
                    sender: Sample.sender,
                    schedule: RetrySchedule(pausesMs: [20, 40, 80], lastsMs: 400)
                )
                outbox.adopt(epoch: "e", after: 0)
            }

            func tell(
                _ happening: Notice.Happening = .firing,
                seq: UInt64,
                alert: String = "7-0",
                channels: [String],
                tells: Bool = true
            ) {
                var notice = Sample.firing()
                notice.id = "e-\(seq)-0"
                notice.happening = happening
                notice.alert?.id = alert
                let place = OutboxItem.Place(seq: seq, index: 0)
                outbox.record(
                    [
                        OutboxItem(
                            epoch: "e",
                            place: place,
                            subject: "alert \(alert)",
                            notice: tells ? notice : nil,
                            channels: channels
                        )
                    ]
                )
            }

            /// Each row as `channel seq state tries`, in the order in which they were made.
            func rows() throws -> [String] {
                let database = try Database(path: "\(folder.path)/\(OutboxFile.name)", mode: .readOnly)
                let rows = try database.prepare("SELECT channel, seq, state, tries FROM deliveries ORDER BY number")
                var lines: [String] = []
                while try rows.step() {
                    lines.append("\(rows.text(0)) \(rows.integer(1)) \(rows.text(2)) \(rows.integer(3))")
                }
                return lines
            }

            func wait(for wanted: [String]) throws {
                let deadline = Date(timeIntervalSinceNow: 10)
                let pause = Signal()
                while try rows() != wanted {
                    guard Date() < deadline else {
                        throw ReceiverError(description: "the outbox holds \(try rows()), not \(wanted)")
                    }
                    pause.wait(timeoutMs: 10)
                }
            }
        }

        private static func line(_ server: VendorServer, kind: String = "webhook") -> String {
            "kind: \(kind), url: \"\(server.url)/hook\", allowPrivate: true"
        }

        @Test func `a notice is told once through each channel, and a failing one delays no other`() throws {
            let slow = try VendorServer(.hang)
            let good = try VendorServer(.reply(204, ""))
            let bench = try Bench(ReceiverFolder(), ["slow": Self.line(slow), "good": Self.line(good)])
            bench.outbox.start()
            defer {
                slow.stop()
                good.stop()
                bench.outbox.stop()
            }
            bench.tell(seq: 1, channels: ["slow", "good"])
            try bench.wait(for: ["slow 1 sending 1", "good 1 delivered 1"])
            bench.tell(.resolved, seq: 2, channels: ["good"])
            try Bell.shared.wait(for: "the second notice") { good.requests.count == 2 }
            #expect(good.requests.compactMap { $0.fields["webhook-id"] } == ["e-1-0", "e-2-0"])
        }

        @Test func `what a receiver can't take now is tried again under the same identity`() throws {
            let server = try VendorServer(.reply(500, "oops"), .close, .reply(204, ""))
            let bench = try Bench(ReceiverFolder(), ["hook": Self.line(server)])
            bench.outbox.start()
            defer {
                server.stop()
                bench.outbox.stop()
            }
            bench.tell(seq: 1, channels: ["hook"])
            try bench.wait(for: ["hook 1 delivered 3"])
            #expect(Set(server.requests.compactMap { $0.fields["webhook-id"] }) == ["e-1-0"])
            #expect(server.requests.count == 3)
        }

        @Test func `what a channel can't take goes to one that hasn't had it`() throws {
            let dead = try VendorServer(.reply(410, "gone"))
            let down = try VendorServer(.reply(503, "down"))
            let good = try VendorServer(.reply(204, ""))
            let bench = try Bench(
                ReceiverFolder(),
                ["dead": Self.line(dead), "down": Self.line(down), "good": Self.line(good)]
            )
            bench.outbox.start()
            defer {
                for server in [dead, down, good] { server.stop() }
                bench.outbox.stop()
            }
            bench.tell(seq: 1, channels: ["dead"])
            try Bell.shared.wait(for: "the notice in the last channel") { good.requests.count == 1 }
            let rows = try bench.rows()
            #expect(rows.first == "dead 1 refused 1")
            #expect(good.requests.first?.fields["webhook-id"] == "e-1-0")
            // Who reads it there knows why.
            #expect(good.requests.first?.body.contains("the channel down can't be reached") ?? false)
            // A permanent error is never tried again.
            #expect(dead.requests.count == 1)
            #expect(down.requests.count > 1)
        }

        @Test func `the newest of an alert takes the place of what still waits`() throws {
            let server = try VendorServer(.reply(204, ""))
            let folder = try ReceiverFolder()
            let bench = try Bench(folder, ["hook": Self.line(server)])
            // Before anything is sent: the threads aren't running yet.
            bench.tell(seq: 1, channels: ["hook"])
            bench.tell(seq: 2, alert: "8-0", channels: ["hook"])
            bench.tell(.resolved, seq: 3, channels: ["hook"])
            bench.tell(seq: 4, alert: "8-0", channels: ["hook"], tells: false)
            bench.outbox.start()
            defer {
                server.stop()
                bench.outbox.stop()
            }
            try bench.wait(for: ["hook 1 superseded 0", "hook 2 superseded 0", "hook 3 delivered 1"])
            #expect(server.requests.count == 1)
        }

        @Test func `after a crash what was on its way is sent again, and a replay adds nothing`() throws {
            let server = try VendorServer(.hang, .reply(204, ""))
            let folder = try ReceiverFolder()
            let lines: KeyValuePairs = ["hook": Self.line(server)]
            do {
                let bench = try Bench(folder, lines)
                bench.tell(seq: 1, channels: ["hook"])
                // As a process leaves it that dies while it sends.
                let file = try OutboxFile(path: "\(folder.path)/\(OutboxFile.name)", busyTimeoutMs: 1000)
                let job = try #require(try file.due(channel: "hook", nowMs: .max / 2, horizonMs: 0))
                #expect(try file.beginSending(job, nowMs: 1))
                #expect(try bench.rows() == ["hook 1 sending 1"])
            }
            server.takeNext()
            let bench = try Bench(folder, lines)
            bench.tell(seq: 1, channels: ["hook"])
            bench.outbox.start()
            defer {
                server.stop()
                bench.outbox.stop()
            }
            try bench.wait(for: ["hook 1 delivered 2"])
            #expect(server.requests.compactMap { $0.fields["webhook-id"] } == ["e-1-0"])
        }

        @Test func `what waits for a channel that is gone goes to another, and what is a day old to nobody`() throws {
            let server = try VendorServer(.reply(204, ""))
            let folder = try ReceiverFolder()
            do {
                let bench = try Bench(folder, ["old": Self.line(server)])
                bench.tell(seq: 1, channels: ["old"])
                bench.tell(seq: 2, alert: "8-0", channels: ["old"])
                let database = try Database(path: "\(folder.path)/\(OutboxFile.name)", mode: .readWrite)
                let nowMs = SystemClock.wallMilliseconds
                try database.execute("UPDATE deliveries SET made_at = \(nowMs) WHERE seq = 1")
                try database.execute("UPDATE deliveries SET made_at = \(nowMs - 86_460_000) WHERE seq = 2")
            }
            let bench = try Bench(folder, ["new": Self.line(server)])
            bench.outbox.start()
            defer {
                server.stop()
                bench.outbox.stop()
            }
            try bench.wait(for: ["old 1 refused 0", "old 2 dropped 0", "new 1 delivered 1"])
            #expect(server.requests.count == 1)
        }

        @Test func `Alertmanager is told again while an alert fires, and no more once something newer came`() throws {
            let server = try VendorServer(.reply(200, ""))
            let folder = try ReceiverFolder()
            let bench = try Bench(folder, ["am": Self.line(server, kind: "alertmanager")])
            bench.outbox.start()
            defer {
                server.stop()
                bench.outbox.stop()
            }
            bench.tell(seq: 1, channels: ["am"])
            try bench.wait(for: ["am 1 repeating 0"])
            // A silence hides what is new; what Alertmanager knows it must go on hearing, or it would call it over.
            bench.tell(seq: 2, channels: ["am"], tells: false)
            try bench.wait(for: ["am 1 repeating 0"])
            bench.tell(.resolved, seq: 3, channels: ["am"])
            try bench.wait(for: ["am 1 delivered 0", "am 3 repeating 0"])
            #expect(server.requests.count == 2)
        }

        @Test func `what Alertmanager knew it is told again after an outage and a silence`() throws {
            let server = try VendorServer(.reply(200, ""), .reply(503, "down"), .reply(200, ""))
            let folder = try ReceiverFolder()
            let bench = try Bench(folder, ["am": Self.line(server, kind: "alertmanager")])
            bench.outbox.start()
            bench.tell(seq: 1, channels: ["am"])
            try bench.wait(for: ["am 1 repeating 0"])
            bench.outbox.stop()
            // A minute later: the repeat fails, and then somebody silences the alert.
            let database = try Database(path: "\(folder.path)/\(OutboxFile.name)", mode: .readWrite)
            try database.execute("UPDATE deliveries SET next_at = 0")
            let again = try Bench(folder, ["am": Self.line(server, kind: "alertmanager")])
            again.outbox.start()
            defer {
                server.stop()
                again.outbox.stop()
            }
            try Bell.shared.wait(for: "the repeat") { server.requests.count >= 2 }
            again.tell(seq: 2, channels: ["am"], tells: false)
            try Bell.shared.wait(for: "the repeat after the outage") { server.requests.count == 3 }
            try again.wait(for: ["am 1 repeating 0"])
        }
    }
}
