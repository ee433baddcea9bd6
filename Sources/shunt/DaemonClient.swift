import ShuntNative
import ShuntServer

/// The daemon as commands reach it, over HTTP.
struct DaemonClient: ~Copyable {
    static let options = [
        OptionSpec(name: "--url", variable: "SHUNT_URL"),
        OptionSpec(name: "--token", variable: "SHUNT_TOKEN"),
    ]

    static let optionsHelp = """
          --url URL       the daemon (SHUNT_URL; default http://127.0.0.1:8710)
          --token TOKEN   sent as Authorization: Bearer (SHUNT_TOKEN)
        """

    let url: String
    private let token: String?
    private var transfer = HTTPTransfer()

    init(_ options: Options) throws(CommandFailure) {
        var url = options["--url"] ?? "http://127.0.0.1:8710"
        while url.hasSuffix("/") { url.removeLast() }
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw CommandFailure(.usage, "--url \(url): expected an address such as http://127.0.0.1:8710")
        }
        let token = options["--token"]
        // What would break the header field is refused, and not repeated: it may be a token all the same.
        if let token, !AccessToken.canBe(token) {
            throw CommandFailure(.usage, "--token: expected a token as shunt token new writes it")
        }
        self.url = url
        self.token = token
    }

    mutating func get(_ path: String) throws(HTTPTransferError) -> HTTPTransfer.Response {
        try transfer.perform(HTTPTransfer.Request(url: url + path, headers: headers, timeoutMs: 10_000))
    }

    mutating func post(
        _ path: String,
        type: String,
        body: [UInt8]
    ) throws(HTTPTransferError) -> HTTPTransfer.Response {
        let fields = headers + [HTTPTransfer.Header("Content-Type", type)]
        let request = HTTPTransfer.Request(
            method: "POST",
            url: url + path,
            headers: fields,
            body: body,
            timeoutMs: 20_000
        )
        return try transfer.perform(request)
    }

    /// A method that `answer` can use.
    enum Method: String {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    /// What the daemon answers with 200, 201 or 202, read; every other answer is a failure that says why.
    mutating func answer(
        _ method: Method,
        _ path: String,
        body: [UInt8] = []
    ) throws(CommandFailure) -> DaemonAnswer {
        let type = body.isEmpty ? [] : [HTTPTransfer.Header("Content-Type", "application/json")]
        let request = HTTPTransfer.Request(
            method: method.rawValue,
            url: url + path,
            headers: headers + type,
            body: body,
            timeoutMs: 20_000
        )
        let response: HTTPTransfer.Response
        do throws(HTTPTransferError) {
            response = try transfer.perform(request)
        } catch {
            throw CommandFailure(.unreachable, "no daemon at \(url): \(error)")
        }
        if let refusal = refusal(response) { throw refusal }
        let answer: DaemonAnswer
        do throws(JSONError) {
            answer = try DaemonAnswer(response.body)
        } catch {
            throw CommandFailure(.failure, "\(url) answers \(response.status) with what can't be read: \(error)")
        }
        guard (200...202).contains(response.status) else {
            let detail = answer.document.text("detail", of: answer.document.root) ?? "no reason given"
            throw CommandFailure(response.status == 400 || response.status == 422 ? .usage : .failure, detail)
        }
        return answer
    }

    /// Why the daemon won't answer this caller; nil when that isn't what it says.
    func refusal(_ response: HTTPTransfer.Response) -> CommandFailure? {
        guard response.status == 401 || response.status == 403 else { return nil }
        var document = JSONDocument()
        let detail = (try? document.parse(response.body)).flatMap { document.text("detail", of: document.root) }
        let hint = token == nil ? "; give one with --token or SHUNT_TOKEN" : ""
        return CommandFailure(
            .failure,
            "\(url) answers \(response.status): \(detail ?? "no reason given")\(hint)"
        )
    }

    private var headers: [HTTPTransfer.Header] {
        let agent = HTTPTransfer.Header("User-Agent", "shunt/\(Shunt.version)")
        guard let token else { return [agent] }
        return [agent, HTTPTransfer.Header("Authorization", "Bearer \(token)")]
    }
}

/// An answer of the daemon.
struct DaemonAnswer: ~Copyable {
    let text: String
    var document = JSONDocument()

    init(_ body: [UInt8]) throws(JSONError) {
        text = String(decoding: body, as: UTF8.self)
        try document.parse(body)
    }
}
