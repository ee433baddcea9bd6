import ShuntCore
import TestSupport
import Testing

@Suite struct RedactionSecretTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var text: String
        var wanted: String
        var kind: RedactionKind?
        var testDescription: String { name }
    }

    private static let base64 = String(
        repeating: "Qm9yZGVyVG9rZW5XaXRoTWl4ZWRDYXNlQW5kRGlnaXRzMDEyMzQ1Njc4OUFiQ2RFZkdoSWo1Nz",
        count: 3
    )

    @Test(arguments: [
        Row(name: "bearer", text: "Bearer abc123DEF456ghi", wanted: "Bearer [redacted credential]", kind: .credential),
        Row(
            name: "basic",
            text: "sent basic dXNlcjpwYXNz ok",
            wanted: "sent basic [redacted credential] ok",
            kind: .credential
        ),
        Row(
            name: "a header",
            text: "Authorization: Basic dXNlcjpwYXNz\nHost: x",
            wanted: "Authorization: [redacted credential]\nHost: x",
            kind: .credential
        ),
        Row(
            name: "a cookie header",
            text: "Cookie: sid=abc; theme=dark",
            wanted: "Cookie: [redacted credential]",
            kind: .credential
        ),
        Row(
            name: "a URL's user",
            text: "https://me:pw1@pay.test/x",
            wanted: "https://[redacted credential]@pay.test/x",
            kind: .credential
        ),
        Row(
            name: "secret key",
            text: "key sk_live_51HxAbCdEfGhIjK used",
            wanted: "key [redacted key] used",
            kind: .apiKey
        ),
        Row(name: "restricted key", text: "rk_live_51HxAbCdEfGhIjK", wanted: "[redacted key]", kind: .apiKey),
        Row(name: "webhook secret", text: "whsec_A1b2C3d4E5f6G7h8", wanted: "[redacted key]", kind: .apiKey),
        Row(
            name: "payment intent secret",
            text: "pi_3Nabc_secret_Zx9Yw8Vu7",
            wanted: "pi_3Nabc_secret_[redacted key]",
            kind: .apiKey
        ),
        Row(
            name: "set-up intent secret",
            text: "seti_1Nabc_secret_Zx9Yw8Vu7",
            wanted: "seti_1Nabc_secret_[redacted key]",
            kind: .apiKey
        ),
        Row(
            name: "a JWS",
            text: "got eyJhbGciOiJFUzI1NiJ9.eyJpZCI6IjEifQ.c2lnbmF0dXJl.",
            wanted: "got [redacted token].",
            kind: .signedToken
        ),
        Row(
            name: "an Apple Pay token in base64",
            text: "eyJ2ZXJzaW9uIjoiRUNfdjEiLCJkYXRhIjoiYWJjZGVmZ2hpamtsbW5vcA==",
            wanted: "[redacted data]",
            kind: .encodedBlob
        ),
        Row(name: "long base64", text: "token=\(base64)==", wanted: "token=[redacted]", kind: .keyedValue),
        Row(
            name: "long base64 without a key",
            text: "body \(base64)== sent",
            wanted: "body [redacted data] sent",
            kind: .encodedBlob
        ),
        Row(
            name: "an assertion",
            text: "a <saml2:Assertion ID=\"1\"><x>y</x></saml2:Assertion> b",
            wanted: "a [redacted assertion] b",
            kind: .assertion
        ),
        Row(
            name: "a cut assertion",
            text: "a <Assertion ID=\"1\"><x>y",
            wanted: "a [redacted assertion]",
            kind: .assertion
        ),
        Row(
            name: "an assertion in base64",
            text: "PHNhbWwyOkFzc2VydGlvbiBJRD0iMSIgVmVyc2lvbj0iMi4wIj48YT4xMjM0NTY3PC9hPg==",
            wanted: "[redacted data]",
            kind: .encodedBlob
        ),
        Row(
            name: "PEM",
            text: "k -----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY----- z",
            wanted: "k [redacted pem] z",
            kind: .pem
        ),
        Row(name: "a cut PEM", text: "-----BEGIN CERTIFICATE-----\\nMIIE", wanted: "[redacted pem]", kind: .pem),
        Row(name: "e-mail", text: "to john.doe+x@mail.example.com.", wanted: "to [redacted email].", kind: .email),
        Row(
            name: "e-mail, percent-encoded",
            text: "u=john%40example.com&a=1",
            wanted: "u=[redacted email]&a=1",
            kind: .email
        ),
        Row(name: "e-mail in Chinese text", text: "邮箱john@example.com无效", wanted: "邮箱[redacted email]无效", kind: .email),
        Row(name: "JSON", text: #"{"cvv":"123","a":1}"#, wanted: #"{"cvv":"[redacted]","a":1}"#, kind: .keyedValue),
        Row(
            name: "JSON number",
            text: #"{"cvv": 123, "a":1}"#,
            wanted: #"{"cvv": "[redacted]", "a":1}"#,
            kind: .keyedValue
        ),
        Row(
            name: "JSON within JSON",
            text: #"{"b":"{\"pin\":1234,\"a\":\"x\"}"}"#,
            wanted: #"{"b":"{\"pin\":\"[redacted]\",\"a\":\"x\"}"}"#,
            kind: .keyedValue
        ),
        Row(
            name: "a JSON object",
            text: #"{"paymentData":{"data":"x}","header":{"a":[1]}},"a":1}"#,
            wanted: #"{"paymentData":"[redacted]","a":1}"#,
            kind: .keyedValue
        ),
        Row(
            name: "receipt-data",
            text: #"{"receipt-data":"MIIT","a":1}"#,
            wanted: #"{"receipt-data":"[redacted]","a":1}"#,
            kind: .keyedValue
        ),
        Row(
            name: "a Ruby hash",
            text: #""cvv"=>"123", "a"=>1"#,
            wanted: #""cvv"=>"[redacted]", "a"=>1"#,
            kind: .keyedValue
        ),
        Row(
            name: "a form",
            text: "accNo=62&phoneNo=138&txnAmt=100",
            wanted: "accNo=[redacted]&phoneNo=[redacted]&txnAmt=100",
            kind: .keyedValue
        ),
        Row(
            name: "an XML element",
            text: "<a><cvv>123</cvv></a>",
            wanted: "<a><cvv>[redacted]</cvv></a>",
            kind: .keyedValue
        ),
        Row(name: "prose", text: "CVV: 123 refused", wanted: "CVV: [redacted] refused", kind: .keyedValue),
    ])
    func `a secret is taken out and its kind is told`(row: Row) {
        let redaction = Redactor.examine(row.text)
        #expect(redaction.text == row.wanted)
        if let kind = row.kind { #expect(redaction.found.contains(kind)) }
        #expect(Redactor.redact(redaction.text) == redaction.text)
    }

    @Test(arguments: [
        "The operation couldn’t be completed. (NSURLErrorDomain error -1001.)",
        "Basic authentication failed", "bearer authentication required", "Bearer error=\"invalid\"",
        "Invalid token: expired", "Authorization: declined by issuer", "PIN: wrong", "token == nil",
        "com.example.store@4.2.0+812", "logo@2x.png", "@sentry/browser@7.1.0", "user@localhost",
        "pi_3NabcDEF012345", "evt_1Nabc", "sk_liveness", "task_live_1234567890",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789ab",
        "/Users/runner/work/store/Sources/Payments/ApplePay/Controllers/PaymentAuthorizationViewController/Delegates/Handler",
        "merchant.com.example.store.apple-pay.production.region-cn.channel-internal-store.version-2026-11",
        #"{"token":null,"cvv":"","pin":false,"company":"x","shippingMethod":"y"}"#,
        "<html><head><title>503 Service Unavailable</title></head></html>",
        "charge=ch_123&status=failed", "-----BEGINNING-----", "a < b && c > d", "",
    ])
    func `ordinary text stays`(text: String) {
        let redaction = Redactor.examine(text)
        #expect(redaction.text == text)
        #expect(redaction.found.isEmpty)
    }

    @Test func `wrapped base64 goes as one, however the line breaks are spelled`() {
        let line = "MIAGCSqGSIb3DQEHAqCAMIACAQExDTALBglghkgBZQMEAgEwgAYJKoZIhvcNAQcB"
        for lineBreak in ["\n", "\r\n", #"\n"#, #"\r\n"#] {
            let text = "a " + [line, line, line].joined(separator: lineBreak) + " b"
            #expect(Redactor.redact(text) == "a [redacted data] b")
        }
    }

    @Test func `a card number inside a secret goes with it`() {
        let redaction = Redactor.examine("4111111111111111@example.com and 4111111111111111")
        #expect(redaction.text == "[redacted email] and [PAN …1111]")
        #expect(redaction.holdsTestCard)
    }

    @Test func `kinds come in declared order`() {
        let found = Redactor.examine("a@example.com 4111111111111111 cvv=123").found
        #expect(found.kinds == [.cardNumber, .email, .keyedValue])
        #expect(RedactionKind.allCases.count == 10)
    }
}
