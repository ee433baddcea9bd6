import Foundation
import ShuntSchema
import Testing

@Suite struct PaymentEventTests {
    private static func json(_ event: PaymentEvent) -> String {
        var writer = JSONWriter()
        event.write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// An event in which everything is said.
    private static var full: PaymentEvent {
        var event = PaymentEvent(error: ErrorReport(domain: "verify", code: "8771"))
        event.eventId = "0190f3"
        event.occurredAt = Timestamp(milliseconds: 1_796_014_140_123)
        event.source = "ios"
        event.paymentMethod = "applePay"
        event.network = "chinaUnionPay"
        event.psp = "unionpay"
        event.route = "native"
        event.stage = .tokenSubmit
        event.error?.subcode = "05"
        event.error?.message = "验证失败\n\"8771\""
        event.error?.httpStatus = 503
        event.error?.underlying = [UnderlyingError(domain: "NSURLErrorDomain", code: "-1005")]
        event.attemptId = "a1"
        event.orderRef = "o1"
        event.pspReference = "p1"
        event.installId = "i1"
        event.traceId = "t1"
        event.switchVersion = 417
        event.app = AppInfo(bundleId: "com.example.store", version: "4.2.0", build: "812")
        event.os = OSInfo(name: "iOS", version: "17.4.1")
        event.deviceModel = "iPhone15,3"
        event.region = "CN"
        event.merchantId = "merchant.com.example.store"
        event.amount = Amount(minor: 39_900, currency: "CNY")
        event.durationMs = 8012
        event.bodyBytes = 9123
        event.tokenVersion = "RSA_v1"
        event.requestHost = "pay.example.com"
        event.context = [
            ContextEntry(key: "text", value: .string("x")),
            ContextEntry(key: "whole", value: .integer(-1)),
            ContextEntry(key: "number", value: .number(0.5)),
            ContextEntry(key: "truth", value: .bool(false)),
            ContextEntry(key: "nothing", value: .null),
        ]
        return event
    }

    @Test func `a minimal event is written with the contract's defaults`() {
        #expect(
            Self.json(PaymentEvent(error: ErrorReport(code: "8771")))
                == #"{"source":"backend","environment":"production","stage":"unknown","outcome":"failed","#
                + #""error":{"domain":"unknown","code":"8771"}}"#
        )
        #expect(
            Self.json(PaymentEvent(outcome: .succeeded))
                == #"{"source":"backend","environment":"production","stage":"unknown","outcome":"succeeded"}"#
        )
        #expect(PaymentEvent().environment == PaymentEvent.defaultEnvironment)
    }

    @Test func `a full event is written in one fixed order`() {
        let expected = [
            #"{"eventId":"0190f3","occurredAt":"2026-11-30T04:49:00.123Z","source":"ios","environment":"production""#,
            #""paymentMethod":"applePay","network":"chinaUnionPay","psp":"unionpay","route":"native""#,
            #""stage":"tokenSubmit","outcome":"failed""#,
            #""error":{"domain":"verify","code":"8771","subcode":"05","message":"验证失败\n\"8771\"","httpStatus":503"#,
            #""underlying":[{"domain":"NSURLErrorDomain","code":"-1005"}]}"#,
            #""attemptId":"a1","orderRef":"o1","pspReference":"p1","installId":"i1","traceId":"t1""#,
            #""switchVersion":417,"app":{"bundleId":"com.example.store","version":"4.2.0","build":"812"}"#,
            #""os":{"name":"iOS","version":"17.4.1"},"deviceModel":"iPhone15,3","region":"CN""#,
            #""merchantId":"merchant.com.example.store","amount":{"minor":39900,"currency":"CNY"}"#,
            #""durationMs":8012,"bodyBytes":9123,"tokenVersion":"RSA_v1","requestHost":"pay.example.com""#,
            #""context":{"text":"x","whole":-1,"number":0.5,"truth":false,"nothing":null}}"#,
        ]
        #expect(Self.json(Self.full) == expected.joined(separator: ","))
    }

    @Test func `a counter is written with its stretch of time`() {
        var event = PaymentEvent(outcome: .succeeded)
        event.counts = Counts(
            from: Timestamp(milliseconds: 0),
            to: Timestamp(milliseconds: 60_000),
            count: 57
        )
        #expect(
            Self.json(event).hasSuffix(
                #""kind":"counts","from":"1970-01-01T00:00:00.000Z","to":"1970-01-01T00:01:00.000Z","count":57}"#
            )
        )
    }

    @Test func `amounts and sizes are written to the ends of their ranges`() {
        var event = PaymentEvent(outcome: .attempted)
        event.amount = Amount(minor: .min, currency: "CNY")
        event.durationMs = .max
        event.switchVersion = .max
        let json = Self.json(event)
        #expect(json.contains(#""minor":-9223372036854775808"#))
        #expect(json.contains(#""durationMs":9223372036854775807"#))
        #expect(json.contains(#""switchVersion":18446744073709551615"#))
    }

    @Test func `what is written is JSON with one value a name`() throws {
        let data = Data(Self.json(Self.full).utf8)
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object.count == 28)
        #expect((object["error"] as? [String: Any])?["message"] as? String == "验证失败\n\"8771\"")
        #expect((object["context"] as? [String: Any])?.count == 5)
    }

    @Test func `names on the wire are the contract's`() {
        #expect(Outcome.allCases.map(\.rawValue) == ["failed", "cancelled", "succeeded", "attempted"])
        #expect(SwitchPhase.allCases.map(\.rawValue) == ["normal", "degraded", "probing", "ramping", "locked"])
        #expect(SwitchMode.allCases.map(\.rawValue) == ["armed", "dryRun", "disarmed"])
        #expect(Stage(rawValue: "tokenSubmit") == .tokenSubmit)
        #expect(Stage.allCases.count == 15)
        #expect(
            FailureClass.allCases.map(\.rawValue) == [
                "user", "issuer", "risk", "merchantConfig", "clientApp", "network", "processor", "inDoubt",
                "notFailure",
                "unknown",
            ]
        )
    }
}
