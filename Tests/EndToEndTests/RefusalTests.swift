import Testing

extension EndToEnd {
    /// Every refusal is an RFC 9457 problem with a stable code, and costs the daemon nothing.
    @Suite struct `Refusals` {
        struct Refused: Sendable, CustomTestStringConvertible {
            let name: String
            var method = "POST"
            var target = "/v1/events"
            var headers = ["Content-Type": "application/json"]
            var body: @Sendable () async throws -> [UInt8] = { [] }
            let status: Int
            var allow: [String] = []

            var testDescription: String { name }
        }

        static let rows = [
            Refused(name: "an unknown path", method: "GET", target: "/v2/events", headers: [:], status: 404),
            Refused(
                name: "an unknown switch",
                method: "GET",
                target: "/v1/switches/no-such",
                headers: [:],
                status: 404
            ),
            Refused(
                name: "reading where one writes",
                method: "GET",
                target: "/v1/rules/reload",
                headers: [:],
                status: 405,
                allow: ["POST"]
            ),
            Refused(
                name: "writing where one reads",
                target: "/v1/switches",
                body: { Array("{}".utf8) },
                status: 405,
                allow: ["GET", "HEAD"]
            ),
            Refused(
                name: "deleting what only answers",
                method: "DELETE",
                target: "/healthz",
                headers: [:],
                status: 405,
                allow: ["GET"]
            ),
            Refused(
                name: "asking for what isn't served",
                method: "GET",
                target: "/v1/switches",
                headers: ["Accept": "text/html"],
                status: 406
            ),
            Refused(
                name: "a type that isn't JSON",
                headers: ["Content-Type": "text/xml"],
                body: { Array("<a/>".utf8) },
                status: 415
            ),
            Refused(
                name: "an unknown coding",
                headers: ["Content-Type": "application/json", "Content-Encoding": "br"],
                body: { Array("{}".utf8) },
                status: 415
            ),
            Refused(
                name: "a body over one mebibyte",
                body: {
                    Array(SampleEvent.array(SampleEvent.failures(1...999)).utf8) + Array(repeating: 32, count: 1 << 20)
                },
                status: 413
            ),
            Refused(
                name: "a bomb",
                headers: ["Content-Type": "application/json", "Content-Encoding": "gzip"],
                body: { try await gzip(Array(repeating: 32, count: 9 << 20)) },
                status: 413
            ),
            Refused(
                name: "more than a thousand events",
                body: {
                    Array("[\(Array(repeating: #"{"error":{"code":"1"}}"#, count: 1001).joined(separator: ","))]".utf8)
                },
                status: 413
            ),
            Refused(
                name: "gzip that isn't",
                headers: ["Content-Type": "application/json", "Content-Encoding": "gzip"],
                body: { Array(SampleEvent(1).json.utf8) },
                status: 400
            ),
            Refused(name: "nothing at all", status: 400),
            Refused(name: "an array that never ends", body: { Array("[".utf8) }, status: 400),
            Refused(name: "two values", body: { Array("{}{}".utf8) }, status: 400),
            Refused(name: "a key twice", body: { Array(#"{"error":{"code":"1","code":"2"}}"#.utf8) }, status: 400),
            Refused(name: "a trailing comma", body: { Array(#"{"error":{"code":"1"},}"#.utf8) }, status: 400),
            Refused(name: "bytes that aren't UTF-8", body: { [123, 34, 0xff, 34, 58, 49, 125] }, status: 400),
            Refused(
                name: "nesting without end",
                body: {
                    Array(repeating: UInt8(ascii: "["), count: 100_000)
                        + Array(repeating: UInt8(ascii: "]"), count: 100_000)
                },
                status: 400
            ),
            Refused(name: "only bad events", body: { Array(#"[{"error":{}},{}]"#.utf8) }, status: 422),
            Refused(name: "a number", body: { Array("42".utf8) }, status: 422),
        ]

        @Test func `each has its status and its code, and the daemon goes on`() async throws {
            try await withDaemon { daemon in
                var codes: [String: Int] = [:]
                for row in Self.rows {
                    let bytes = try await row.body()
                    let reply = try await daemon.client.send(
                        row.method,
                        row.target,
                        headers: row.headers,
                        body: row.method == "GET" ? nil : bytes
                    )
                    #expect(reply.status == row.status, "\(row.name): \(reply)")
                    #expect(reply["content-type"] == "application/problem+json", "\(row.name)")
                    let problem = try reply.decode(Problem.self)
                    #expect(problem.status == row.status, "\(row.name)")
                    #expect(!problem.title.isEmpty, "\(row.name)")
                    // One code never stands for two statuses.
                    #expect(
                        codes.updateValue(row.status, forKey: problem.code) ?? row.status == row.status,
                        "\(row.name)"
                    )
                    let allowed = reply["allow"]?.split { ", ".contains($0) }.map(String.init) ?? []
                    #expect(Set(allowed).isSuperset(of: row.allow), "\(row.name): \(allowed)")
                }
                #expect(try await daemon.client.get("/healthz").status == 200)
                #expect(try await daemon.client.get("/readyz").status == 200)
                #expect(try await daemon.report(SampleEvent.failures(1...1)).accepted == 1)
            }
        }

        @Test func `unreadable JSON is refused with the byte where reading stopped`() async throws {
            try await withDaemon { daemon in
                let reply = try await daemon.client.post("/v1/events", #"{"error":{"code":?}}"#)
                #expect(reply.status == 400)
                let problem = try reply.decode(Problem.self)
                #expect(problem.offset == 17, "\(reply)")
                #expect(problem.detail?.contains("byte 17") == true, "\(reply)")
            }
        }

        @Test func `a refused batch has left nothing behind`() async throws {
            try await withDaemon { daemon in
                let good = SampleEvent.array(SampleEvent.failures(1...50))
                let refused = try await daemon.client.post("/v1/events", good.dropLast() + ",]")
                #expect(refused.status == 400)
                #expect(try await daemon.report(SampleEvent.failures(1...50)).accepted == 50)
            }
        }
    }
}
