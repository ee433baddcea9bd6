import Foundation
import FoundationNetworking
import Synchronization

/// A client of an event stream, over an HTTP client that isn't ours.
final class StreamClient: NSObject, URLSessionDataDelegate {
    /// What a message says, as OFREP has it.
    struct Notice: Decodable, Sendable {
        let type: String
        let etag: String
        let version: Int
    }

    private struct State {
        var text = ""
        /// How many messages have been taken.
        var taken = 0
        var awaited: Promise<Bool>?
    }

    private let state = Mutex(State())
    private let head = Promise<Reply>("the head of a stream")
    private let end = Promise<String>("the end of a stream")

    /// Connects to `/v1/switches/stream`.
    init(_ daemon: RunningDaemon) throws {
        super.init()
        guard let url = URL(string: daemon.url + "/v1/switches/stream") else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
        let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
        session.dataTask(with: request).resume()
        session.finishTasksAndInvalidate()
    }

    /// The status and the header fields.
    func reply() async throws -> Reply { try await head.value(withinSeconds: 20) }

    /// The next message; comments are passed over.
    func next(withinSeconds seconds: Double = 20) async throws -> Notice {
        while true {
            let more = Promise<Bool>("a message of a stream")
            let message = state.withLock { state -> String? in
                let messages = state.text.components(separatedBy: "\n\n").dropLast().filter { $0.contains("data: ") }
                guard messages.count > state.taken else {
                    state.awaited = more
                    return nil
                }
                state.taken += 1
                return messages[state.taken - 1]
            }
            if let message {
                let data = message.components(separatedBy: "data: ").last ?? ""
                return try JSONDecoder().decode(Notice.self, from: Data(data.utf8))
            }
            _ = try await more.value(withinSeconds: seconds)
        }
    }

    /// Waits for the end of the stream: the error, or nothing if the end was marked as one.
    func ending() async throws -> String { try await end.value(withinSeconds: 20) }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { head.settle(.success(Reply(response, body: Data()))) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let awaited = state.withLock { state in
            state.text += String(decoding: data, as: UTF8.self)
            return state.awaited.take()
        }
        awaited?.settle(.success(true))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end.settle(.success(error.map { "\($0)" } ?? ""))
    }
}
