import Testing

extension OFREPTests {
    static let one = "/ofrep/v1/evaluate/flags/apple-pay"
    static let all = "/ofrep/v1/evaluate/flags"

    /// A request and what the protocol wants for it.
    struct Rule: Sendable, CustomTestStringConvertible {
        var name: String
        var method = "POST"
        var target = OFREPTests.one
        var contentType: String? = "application/json"
        var headers: [(String, String)] = []
        var body: String? = #"{"context":{"targetingKey":"install-1"}}"#
        var status: Int
        /// The whole body; `EPOCH` stands for the daemon's.
        var answer: String?
        /// What the body has.
        var contains: [String] = []
        /// What the fields are.
        var fields: [(String, String)] = []

        var testDescription: String { name }
    }

    private static func failure(_ key: String?, _ code: String, _ details: String) -> String {
        let name = key.map { #""key":"\#($0)","# } ?? ""
        return #"{\#(name)"errorCode":"\#(code)","errorDetails":"\#(details)"}"#
    }

    private static let normal =
        #"{"key":"apple-pay","value":"native","reason":"STATIC","variant":"native","metadata":{"switchVersion":1,"#
        + #""epoch":"EPOCH","state":"normal","decidedBy":"environment"}}"#

    private static func bulk(_ environment: String, _ address: String) -> String {
        #"{"flags":[\#(normal)],"eventStreams":[{"type":"sse","endpoint":{"requestUri":"#
            + #""/v1/switches/stream?environment=\#(address)"},"inactivityDelaySec":120}],"metadata":{"switchVersion":1,"#
            + #""epoch":"EPOCH","environment":"\#(environment)","pollAfterSec":60}}"#
    }

    static let successes: [Rule] = [
        Rule(name: "a flag has key, value, reason, variant and metadata", status: 200, answer: normal),
        Rule(name: "a success is application/json", status: 200, fields: [("Content-Type", "application/json")]),
        Rule(
            name: "bulk has flags, streams and metadata",
            target: all,
            status: 200,
            answer: bulk("production", "production")
        ),
        Rule(
            name: "bulk with a slash at its end",
            target: all + "/",
            status: 200,
            answer: bulk("production", "production")
        ),
        Rule(
            name: "the stream's address is escaped",
            target: all,
            body: #"{"context":{"environment":"a b&ä/\u000b"}}"#,
            status: 200,
            answer: bulk("a b&ä/\\u000b", "a%20b%26%C3%A4%2F%0B")
        ),
        Rule(
            name: "the charset that JavaScript clients name",
            contentType: "application/json; charset=utf-8",
            status: 200
        ),
        Rule(name: "no targeting key", body: #"{"context":{}}"#, status: 200, answer: normal),
        Rule(name: "a targeting key that is null", body: #"{"context":{"targetingKey":null}}"#, status: 200),
        Rule(
            name: "any further attribute, of any kind",
            body: #"{"context":{"a":[1],"b":{"c":null},"d":1e3,"e":true}}"#,
            status: 200
        ),
        Rule(name: "members beside the context", body: #"{"context":{},"flags":["x"]}"#, status: 200),
        Rule(
            name: "what a stream's message made the client ask",
            target: all + "?flagConfigEtag=%22x%22&flagConfigLastModified=1771622898",
            status: 200
        ),
        Rule(name: "an Accept that it fits", headers: [("Accept", "application/json, */*")], status: 200),
        Rule(name: "a validator at a single flag asks for nothing", headers: [("If-None-Match", "*")], status: 200),
    ]

    static let failures: [Rule] = [
        Rule(
            name: "a flag that isn't there",
            target: all + "/nope",
            status: 404,
            answer: failure("nope", "FLAG_NOT_FOUND", "no switch is called nope")
        ),
        Rule(
            name: "a flag whose escaped name has a slash",
            target: all + "/a%2Fb",
            status: 404,
            answer: failure("a/b", "FLAG_NOT_FOUND", "no switch is called a/b")
        ),
        Rule(
            name: "a body that isn't JSON",
            body: #"{"context":{"#,
            status: 400,
            contains: [
                #"{"key":"apple-pay","errorCode":"PARSE_ERROR","errorDetails":"the body isn't sound JSON: "#, "byte 12",
            ]
        ),
        Rule(
            name: "a bulk body that isn't JSON",
            target: all,
            body: "{}{}",
            status: 400,
            contains: [#"{"errorCode":"PARSE_ERROR","errorDetails":""#]
        ),
        Rule(
            name: "a member twice",
            body: #"{"context":{"region":"CN","region":"US"}}"#,
            status: 400,
            contains: ["PARSE_ERROR", "duplicateKey"]
        ),
        Rule(
            name: "nesting without end",
            body: #"{"context":\#(String(repeating: "[", count: 20_000))"#,
            status: 400,
            contains: ["PARSE_ERROR", "tooDeep"]
        ),
        Rule(
            name: "no body",
            contentType: nil,
            body: nil,
            status: 400,
            answer: failure("apple-pay", "INVALID_CONTEXT", #"expected a body: {\"context\": {…}}"#)
        ),
        Rule(
            name: "a bulk request without a body",
            target: all,
            contentType: nil,
            body: nil,
            status: 400,
            answer: failure(nil, "INVALID_CONTEXT", #"expected a body: {\"context\": {…}}"#)
        ),
        Rule(name: "a body of white space", body: " \n", status: 400, contains: ["INVALID_CONTEXT"]),
        Rule(
            name: "no context",
            body: "{}",
            status: 400,
            answer: failure("apple-pay", "INVALID_CONTEXT", #"context is missing; expected {\"context\": {…}}"#)
        ),
        Rule(name: "a context that is null", body: #"{"context":null}"#, status: 400, contains: ["INVALID_CONTEXT"]),
        Rule(
            name: "a context that is a text",
            target: all,
            body: #"{"context":"x"}"#,
            status: 400,
            answer: failure(nil, "INVALID_CONTEXT", "expected context to be an object")
        ),
        Rule(name: "a body that is a list", body: "[]", status: 400, contains: ["INVALID_CONTEXT"]),
        Rule(
            name: "a targeting key that is a number",
            body: #"{"context":{"targetingKey":5}}"#,
            status: 400,
            answer: failure("apple-pay", "INVALID_CONTEXT", "expected context.targetingKey to be a text")
        ),
        Rule(
            name: "an environment that can't be one",
            body: #"{"context":{"environment":""}}"#,
            status: 400,
            answer: failure(
                "apple-pay",
                "INVALID_CONTEXT",
                "expected context.environment to be a text of 1 to 64 bytes"
            )
        ),
        Rule(
            name: "an environment that is too long",
            body: #"{"context":{"environment":"\#(String(repeating: "e", count: 65))"}}"#,
            status: 400,
            contains: ["INVALID_CONTEXT"]
        ),
        Rule(
            name: "an environment that is a number",
            body: #"{"context":{"environment":1}}"#,
            status: 400,
            contains: ["INVALID_CONTEXT"]
        ),
        Rule(
            name: "bad JSON counts before a flag that isn't there",
            target: all + "/nope",
            body: "{",
            status: 400,
            contains: ["PARSE_ERROR"]
        ),
    ]

    static let refusals: [Rule] = [
        Rule(
            name: "reading",
            method: "GET",
            contentType: nil,
            body: nil,
            status: 405,
            answer: #"{"errorDetails":"expected POST at this address"}"#,
            fields: [("Allow", "POST, OPTIONS")]
        ),
        Rule(
            name: "reading all",
            method: "GET",
            target: all,
            contentType: nil,
            body: nil,
            status: 405,
            fields: [("Allow", "POST, OPTIONS")]
        ),
        Rule(
            name: "looking only",
            method: "HEAD",
            contentType: nil,
            body: nil,
            status: 405,
            fields: [("Allow", "POST, OPTIONS")]
        ),
        Rule(name: "deleting", method: "DELETE", target: all, contentType: nil, body: nil, status: 405),
        Rule(
            name: "asking for what isn't served",
            headers: [("Accept", "text/html")],
            status: 406,
            answer: #"{"errorDetails":"answers here are application/json"}"#
        ),
        Rule(name: "a body of another type", contentType: "text/plain", status: 415, contains: [#"{"errorDetails":""#]),
        Rule(
            name: "a body that is gzip",
            headers: [("Content-Encoding", "gzip")],
            status: 415,
            contains: [#"{"errorDetails":""#]
        ),
        Rule(
            name: "a body over 64 KiB",
            body: #"{"context":{"a":"\#(String(repeating: "a", count: 65_536))"}}"#,
            status: 413,
            contains: [#"{"errorDetails":""#]
        ),
        // The removed address.
        Rule(
            name: "the configuration",
            method: "GET",
            target: "/ofrep/v1/configuration",
            contentType: nil,
            body: nil,
            status: 404
        ),
        Rule(name: "another version", target: "/ofrep/v2/evaluate/flags", status: 404),
    ]
}
