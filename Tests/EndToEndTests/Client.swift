import Foundation
import FoundationNetworking

/// An HTTP client that isn't ours, so that the daemon's own code isn't its only judge.
final class Client: Sendable {
    let base: String
    private let session: URLSession

    /// `base` is scheme, host and port, without a slash at the end.
    init(base: String) {
        self.base = base
        let configuration = URLSessionConfiguration.ephemeral
        // Every answer is the daemon's: a cache of the client's would turn its 304 into a 200.
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpMaximumConnectionsPerHost = 64
        configuration.timeoutIntervalForRequest = 30
        session = URLSession(configuration: configuration)
    }

    deinit {
        session.invalidateAndCancel()
    }

    func get(_ target: String, headers: [String: String] = [:]) async throws -> Reply {
        try await send("GET", target, headers: headers)
    }

    func post(
        _ target: String,
        _ body: some StringProtocol,
        type: String = "application/json",
        headers: [String: String] = [:]
    ) async throws -> Reply {
        try await post(target, bytes: Array(body.utf8), type: type, headers: headers)
    }

    func post(
        _ target: String,
        bytes: [UInt8],
        type: String = "application/json",
        headers: [String: String] = [:]
    ) async throws -> Reply {
        try await send("POST", target, headers: headers.merging(["Content-Type": type]) { $1 }, body: bytes)
    }

    func send(
        _ method: String,
        _ target: String,
        headers: [String: String] = [:],
        body: [UInt8]? = nil
    ) async throws -> Reply {
        guard let url = URL(string: base + target) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        request.httpBody = body.map { Data($0) }
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return Reply(response, body: data)
    }
}

/// An answer: status, header fields and body.
struct Reply: Sendable, CustomStringConvertible {
    let status: Int
    let body: Data
    private let headers: [String: String]

    init(_ response: HTTPURLResponse, body: Data) {
        status = response.statusCode
        self.body = body
        var headers: [String: String] = [:]
        for case (let name, let value) as (String, String) in response.allHeaderFields {
            headers[name.lowercased()] = value
        }
        self.headers = headers
    }

    /// A header field by its name in lower case.
    subscript(_ name: String) -> String? { headers[name] }

    var text: String { String(decoding: body, as: UTF8.self) }

    var description: String { "\(status) \(text)" }

    func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: body)
        } catch {
            throw Unreadable(reply: self, type: "\(type)", reason: "\(error)")
        }
    }

    /// An answer that isn't what the contract says.
    struct Unreadable: Error {
        let reply: Reply
        let type: String
        let reason: String
    }
}
