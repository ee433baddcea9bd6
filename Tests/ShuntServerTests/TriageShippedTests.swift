import ShuntCore
import ShuntSchema
import Testing

@testable import ShuntServer

/// The project's own diagnoses, each with its symptoms and a near miss.
@Suite struct TriageShippedTests {
    private static let shipped = Result { try RuleFiles(readingFolder: RuleFilesFixture.shipped).diagnoses }

    private static let app: [TriageRow] = [
        TriageRow("A1") {
            $0.error("PKPaymentErrorDomain", "-1", .present); $0.isFineInSandbox(); $0.event.merchantId = "merchant.a."
        } miss: {
            $0.isFineInSandbox(false)
        },
        TriageRow("A2") {
            $0.say("EXC_BAD_ACCESS", .authorize)
        } miss: {
            $0.event.stage = .charge
        },
        TriageRow("A3") {
            $0.say("CFBundleDisplayName isn't the merchant's")
        } miss: {
            $0.say("refused")
        },
        TriageRow("A4") {
            $0.say("'ApplePayBridge.h' file not found")
        } miss: {
            $0.say("'Other.h' file not found")
        },
        TriageRow("A5") {
            $0.event.stage = .precheck; $0.context("canMakePayments", "false")
        } miss: {
            $0.event.stage = .charge
        },
        TriageRow("A6") {
            $0.event.stage = .precheck; $0.context("canMakePayments", "true");
            $0.context("canMakePaymentsUsingNetworks", "false")
        } miss: {
            $0.event.context = []; $0.context("canMakePayments", "false")
        },
        TriageRow("A7") {
            $0.say("EXC_BAD_ACCESS", .present); $0.event.os = OSInfo(version: "16.4")
        } miss: {
            $0.event.stage = .charge
        },
        TriageRow("A8") {
            $0.say("UIApplication is not responding to presentViewController:animated:", .present)
        } miss: {
            $0.say("x")
        },
        TriageRow("A9") {
            $0.say("summary item 3 is missing", .tokenSubmit)
        } miss: {
            $0.event.stage = .refund
        },
        TriageRow("A10") {
            $0.say("amount mismatch"); $0.context("amountDifferenceMinor", "1")
        } miss: {
            $0.say("no")
        },
        TriageRow("A11") {
            $0.status(401, .tokenSubmit)
        } miss: {
            $0.status(403, .tokenSubmit)
        },
        TriageRow("A12") {
            $0.status(400, .tokenSubmit, bytes: 8193)
        } miss: {
            $0.status(400, .tokenSubmit, bytes: 8192)
        },
        TriageRow("A13") {
            $0.status(400, .tokenSubmit, bytes: 8192)
        } miss: {
            $0.status(400, .tokenSubmit, bytes: 8193)
        },
        TriageRow("A14") {
            $0.status(503, .tokenSubmit); $0.event.durationMs = 15_000
        } miss: {
            $0.status(503, .precheck)
        },
        TriageRow("A15") {
            $0.event.stage = .present; $0.event.durationMs = 300
        } miss: {
            $0.event.durationMs = 1500
        },
        TriageRow("A16") {
            $0.error("NSURLErrorDomain", "-1003", .present); $0.context("networkType", "WiFi")
        } miss: {
            $0.event.context = []; $0.context("networkType", "cellular")
        },
        TriageRow("A17") {
            $0.error("NSURLErrorDomain", "-1001"); $0.context("networkType", "cellular")
        } miss: {
            $0.event.environment = "sandbox"
        },
        TriageRow("A18") {
            $0.error("NSURLErrorDomain", "-1202")
        } miss: {
            $0.error("NSURLErrorDomain", "-1001")
        },
        TriageRow("A19") {
            $0.error("verify", "8771"); $0.isFineInSandbox()
        } miss: {
            $0.error("verify", "8772")
        },
        TriageRow("A20") {
            $0.say("Provisioning profile doesn't include it")
        } miss: {
            $0.say("profile")
        },
        TriageRow("A21") {
            $0.event.stage = .precheck; $0.context("permission", "denied"); $0.context("firstRun", "true")
        } miss: {
            $0.event.stage = .charge
        },
        TriageRow("A22") {
            $0.error("NSURLErrorDomain", "-1022")
        } miss: {
            $0.error("x", "-1022")
        },
        TriageRow("A23") {
            $0.error("NSURLErrorDomain", "-1009", .tokenSubmit)
        } miss: {
            $0.error("NSURLErrorDomain", "-1011")
        },
        TriageRow("A24") {
            $0.count = 100; $0.hours = [1, 1, 1, 1, 1, 95]
        } miss: {
            $0.count = 99
        },
        TriageRow("A25") {
            $0.say("Authorization: [redacted credential]")
        } miss: {
            $0.say("Authorization")
        },
        TriageRow("abort-on-devices") {
            $0.error("x", "AbortError", .present); $0.attempts = 20
        } miss: {
            $0.attempts = 100
        },
        TriageRow("answer-too-late") {
            $0.event.stage = .complete; $0.event.durationMs = 40_000
        } miss: {
            $0.event.durationMs = 9999
        },
        TriageRow("missing-3ds") {
            $0.say("Payment not completed", .present); $0.context("merchantCapabilities", "emv")
        } miss: {
            $0.say("no")
        },
        TriageRow("amount-minor-unit") {
            $0.say("Fraction digits are not allowed")
        } miss: {
            $0.say("digits")
        },
        TriageRow("amount-ratio") {
            $0.context("amountRatio", "100"); $0.event.amount = Amount(minor: 8000, currency: "JPY")
        } miss: {
            $0.event.context = []
        },
        TriageRow("comma-amount") {
            $0.say("wrong amount 1,50"); $0.context("locale", "de")
        } miss: {
            $0.event.context = []; $0.context("locale", "en")
        },
    ]

    private static let others: [TriageRow] = [
        TriageRow("sandbox-production") {
            $0.error("csob", "120", .charge); $0.isFineInSandbox()
        } miss: {
            $0.isFineInSandbox(false)
        },
        TriageRow("B1") {
            $0.event.stage = .precheck; $0.event.network = "chinaUnionPay"; $0.event.os = OSInfo(version: "9.1")
        } miss: {
            $0.event.os = OSInfo(version: "9.2")
        },
        TriageRow("B2") {
            $0.event.stage = .present; $0.event.network = "chinaUnionPay";
            $0.event.amount = Amount(minor: 1, currency: "USD")
        } miss: {
            $0.event.amount = Amount(minor: 1, currency: "CNY")
        },
        TriageRow("B3") {
            $0.say("paymentSummaryItems is empty", .present)
        } miss: {
            $0.event.stage = .charge
        },
        TriageRow("B4") {
            $0.event.stage = .present; $0.context("lifecycle", "background")
        } miss: {
            $0.event.stage = .charge
        },
        TriageRow("B5") {
            $0.event.stage = .tokenDecrypt; $0.event.tokenVersion = "RSA_v1"
        } miss: {
            $0.event.tokenVersion = "EC_v1"
        },
        TriageRow("B6") {
            $0.event.stage = .asyncResult; $0.event.network = "chinaUnionPay"; $0.context("syncRespCode", "00")
        } miss: {
            $0.event.network = "visa"
        },
        TriageRow("B7") {
            $0.event.stage = .asyncResult; $0.event.durationMs = 3000
        } miss: {
            $0.event.stage = .refund
        },
        TriageRow("B8") {
            $0.error("unionpay.respCode", "64")
        } miss: {
            $0.error("unionpay.respCode", "05")
        },
        TriageRow("B9") {
            $0.event.outcome = .cancelled; $0.event.stage = .charge
        } miss: {
            $0.event.stage = .authorize
        },
        TriageRow("session-expired") {
            $0.say("merchant session expired", .merchantValidation)
        } miss: {
            $0.event.stage = .charge
        },
        TriageRow("domain-not-registered") {
            $0.say("417: x not registered for Apple Pay on the web"); $0.status(417, .merchantValidation)
        } miss: {
            $0.say("417")
        },
        TriageRow("not-authorized") {
            $0.say("Payment Services Exception x unauthorized to process transactions on behalf of y"); $0.attempts = 20
        } miss: {
            $0.attempts = 2000
        },
        TriageRow("session-refused-now-and-then") {
            $0.say("Payment Services Exception"); $0.attempts = 2000
        } miss: {
            $0.attempts = 20
        },
        TriageRow("missing-merchant-identifier") {
            $0.say("Invalid session request -- missing merchant identifier")
        } miss: {
            $0.say("Invalid")
        },
        TriageRow("closes-after-validation") {
            $0.event.stage = .merchantValidation; $0.event.outcome = .cancelled; $0.event.durationMs = 1500
        } miss: {
            $0.event.stage = .authorize
        },
        TriageRow("processing-key-mismatch") {
            $0.say("Apple Pay decryption failed - no matching key found"); $0.status(422, .charge)
        } miss: {
            $0.say("no")
        },
        TriageRow("csr-merchant-id") {
            $0.say("Unable to decrypt data", .tokenDecrypt)
        } miss: {
            $0.say("no")
        },
        TriageRow("stripe-certificate") {
            $0.error("com.stripe.lib", "50"); $0.say("The certificate used to sign your request is invalid")
        } miss: {
            $0.error("com.stripe.lib", "70")
        },
        TriageRow("token-key-size") {
            $0.say("unsupported key", .tokenDecrypt)
        } miss: {
            $0.event.stage = .refund
        },
        TriageRow("token-signature") {
            $0.say("invalid signature", .tokenDecrypt)
        } miss: {
            $0.event.stage = .refund
        },
        TriageRow("environment-mix") {
            $0.say("Could not find an active card in this sandbox")
        } miss: {
            $0.say("no card")
        },
    ]

    private static func ids(_ sample: TriageSample) throws -> [String] {
        DiagnosisMatch.ranked(try shipped.get(), for: sample.subject).map(\.diagnosis.id)
    }

    @Test(arguments: app + others) func `a diagnosis is offered first for its own symptoms, and not for a near miss`(
        row: TriageRow
    ) throws {
        var sample = TriageSample()
        row.show(&sample)
        #expect(try Self.ids(sample).first == row.id)
        row.miss(&sample)
        #expect(try !Self.ids(sample).contains(row.id))
    }

    @Test func `every diagnosis has its row, and texts in both languages`() throws {
        let diagnoses = try Self.shipped.get()
        #expect(Set(diagnoses.map(\.id)) == Set((Self.app + Self.others).map(\.id)))
        for number in 1...25 { #expect(diagnoses.contains { $0.id == "A\(number)" }, "A\(number)") }
        for number in 1...9 { #expect(diagnoses.contains { $0.id == "B\(number)" }, "B\(number)") }
        for diagnosis in diagnoses {
            #expect(!diagnosis.verify.isEmpty)
            let texts = [diagnosis.title, diagnosis.cause, diagnosis.nextStep] + diagnosis.verify.map(\.text)
            for text in texts {
                #expect(text.english.unicodeScalars.allSatisfy { $0.value < 0x2E80 }, "\(diagnosis.id)")
                #expect(text.chinese.unicodeScalars.contains { $0.value >= 0x4E00 }, "\(diagnosis.id)")
            }
        }
        #expect(diagnoses.first { $0.id == "A15" }?.verify.count == 5)
        #expect(diagnoses.first { $0.id == "sandbox-production" }?.verify.count == 7)
    }

    @Test func `what no report tells is unknown, and what half of the reports say is a fact`() throws {
        var sample = TriageSample()
        sample.status(400, .tokenSubmit)
        let matches = DiagnosisMatch.ranked(try Self.shipped.get(), for: sample.subject)
        let twelve = try #require(matches.first { $0.diagnosis.id == "A12" })
        #expect(twelve.unknown.map(\.words.english).contains("bodyBytes: \">=8193\""))
        #expect(twelve.matched.map(\.words.english).contains("error.httpStatus: [400, 413]"))
        #expect(twelve.score == 60)
        var subject = sample.subject
        for index in 0..<11 { subject.failures[index].event.error?.httpStatus = 500 }
        #expect(DiagnosisMatch.ranked(try Self.shipped.get(), for: subject).allSatisfy { $0.diagnosis.id != "A12" })
    }

    @Test func `a match is written in a language`() throws {
        var sample = TriageSample()
        sample.error("NSURLErrorDomain", "-1022")
        let match = try #require(DiagnosisMatch.ranked(try Self.shipped.get(), for: sample.subject).first)
        var writer = JSONWriter()
        writer.diagnosis(match, in: .chinese)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(text.hasPrefix(#"{"id":"A22","title":"请求被 ATS 拦截","cause":"#))
        #expect(text.contains(#""unknown":["旧版本 App 无此失败"],"score":66}"#))
    }
}
