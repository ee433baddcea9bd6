import Foundation

/// An event as an app would write it, from the contract's example.
struct SampleEvent: Sendable {
    var eventId: String
    var attemptId: String
    var installId: String
    var environment = "production"
    var domain = "verify"
    var code = "8771"
    var outcome = "failed"
    var route = "native"
    var occurredAt: String?

    /// The n-th failure of a series: its own event, attempt and install.
    init(_ number: Int, series: String = "a") {
        eventId = "event-\(series)-\(number)"
        attemptId = "attempt-\(series)-\(number)"
        installId = "install-\(series)-\(number)"
    }

    /// The failures with these numbers, each changed alike.
    static func failures(
        _ numbers: ClosedRange<Int>,
        series: String = "a",
        _ change: (inout SampleEvent) -> Void = { _ in }
    ) -> [SampleEvent] {
        numbers.map { number in
            var event = SampleEvent(number, series: series)
            change(&event)
            return event
        }
    }

    var json: String {
        let error = outcome == "failed" ? #""error":{"domain":"\#(domain)","code":"\#(code)"},"# : ""
        let time = occurredAt.map { #""occurredAt":"\#($0)","# } ?? ""
        return #"{"eventId":"\#(eventId)",\#(time)"source":"ios","environment":"\#(environment)","#
            + #""paymentMethod":"applePay","network":"chinaUnionPay","psp":"unionpay","route":"\#(route)","#
            + #""stage":"precheck","outcome":"\#(outcome)",\#(error)"attemptId":"\#(attemptId)","#
            + #""installId":"\#(installId)","app":{"bundleId":"com.example.store","version":"4.2.0"},"#
            + #""os":{"name":"iOS","version":"17.4.1"},"region":"CN","amount":{"minor":39900,"currency":"CNY"}}"#
    }

    static func array(_ events: [SampleEvent]) -> String {
        "[" + events.map(\.json).joined(separator: ",") + "]"
    }

    static func lines(_ events: [SampleEvent]) -> String {
        events.map { $0.json + "\n" }.joined()
    }

    /// The present moment plus so many seconds, as RFC 3339 with milliseconds.
    static func time(secondsFromNow seconds: Double) -> String {
        Date(timeIntervalSinceNow: seconds).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
