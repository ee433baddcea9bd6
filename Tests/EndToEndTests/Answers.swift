/// The answer to `POST /v1/events`, as the contract has it.
struct Verdict: Decodable, Sendable {
    struct Rejection: Decodable, Sendable {
        let index: Int
        let pointer: String
        let code: String
        let detail: String
    }

    let accepted: Int
    let duplicates: Int
    let rejected: [Rejection]
    let late: Int
    let switchVersion: Int
    let pollAfterSec: Int
}

/// The answer to `GET /v1/switches`.
struct Document: Decodable, Sendable {
    let epoch: String
    let version: Int
    let environment: String
    let pollAfterSec: Int
    let switches: [Switch]

    struct Switch: Decodable, Sendable {
        let key: String
        let state: String
        let variant: String
        let since: String
        let reason: Reason?
    }

    struct Reason: Decodable, Sendable {
        let kind: String
        let rule: String?
        let summary: String?
    }

    /// The founding switch.
    var applePay: Switch? { switches.first { $0.key == "apple-pay" } }
}

/// An RFC 9457 problem with the contract's stable code.
struct Problem: Decodable, Sendable {
    let status: Int
    let title: String
    let code: String
    let detail: String?
    /// With unreadable JSON: where reading stopped, in bytes from the start of the body.
    let offset: Int?
}

extension RunningDaemon {
    /// Posts a batch and returns its verdict, which must be a 202.
    @discardableResult
    func report(_ events: [SampleEvent]) async throws -> Verdict {
        let reply = try await client.post("/v1/events", SampleEvent.array(events))
        guard reply.status == 202 else {
            throw Reply.Unreadable(reply: reply, type: "Verdict", reason: "not a 202")
        }
        return try reply.decode()
    }

    /// The switches as an app sees them.
    func document(environment: String = "production") async throws -> Document {
        try await client.get("/v1/switches?environment=\(environment)").decode()
    }

    /// The variant that an app gets for Apple Pay: `native` or `web`.
    func variant(environment: String = "production") async throws -> String? {
        try await document(environment: environment).applePay?.variant
    }

    /// What an operator does when payments work again.
    @discardableResult
    func restore(_ reason: String = "fixed") async throws -> Reply {
        try await client.post("/v1/switches/apple-pay/restore", #"{"reason":"\#(reason)"}"#)
    }
}
