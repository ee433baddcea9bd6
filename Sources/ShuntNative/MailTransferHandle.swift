internal import CCurl

/// An owned easy handle of libcurl for one mail.
@safe
final class MailTransferHandle {
    /// What goes out, and what the server says. libcurl says goodbye when the handle is cleaned up and reports that line
    /// too, so this lives as long as the handle.
    private final class Dialogue {
        let message: [UInt8]
        var sent = 0
        /// The last line that was not a goodbye.
        var lastLine: String?
        /// The last line that refused something.
        var refusal: String?

        init(_ message: [UInt8]) { self.message = message }

        func take(_ line: String) {
            let text = line.filter { !$0.isNewline }
            guard !text.isEmpty, !text.hasPrefix("221") else { return }
            lastLine = text
            if text.first == "4" || text.first == "5" { refusal = text }
        }
    }

    private let handle: UnsafeMutableRawPointer
    private let explanation: UnsafeMutablePointer<CChar>
    private var recipients: UnsafeMutablePointer<curl_slist>?
    private let gate = HTTPTransferGate()
    private let dialogue: Dialogue

    init(_ request: MailTransfer.Request) {
        precondition(HTTPTransferHandle.isPrepared, "libcurl can't be prepared")
        guard let handle = unsafe curl_easy_init() else { preconditionFailure("no memory for a transfer") }
        unsafe self.handle = handle
        unsafe explanation = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe explanation.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe recipients = nil
        dialogue = Dialogue(request.message)
        configure(request)
        attach()
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe curl_slist_free_all(recipients)
        unsafe explanation.deallocate()
    }

    func perform() throws(MailTransferError) -> String {
        let result = unsafe curl_easy_perform(handle)
        guard result == CURLE_OK else { throw error(result) }
        return dialogue.lastLine ?? ""
    }

    private func configure(_ request: MailTransfer.Request) {
        let host = request.host.contains(":") ? "[\(request.host)]" : request.host
        let scheme = request.security == .implicit ? "smtps" : "smtp"
        set(CURLOPT_URL, "\(scheme)://\(host):\(request.port)")
        set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        set(CURLOPT_USE_SSL, request.security == .none ? Int(CURLUSESSL_NONE.rawValue) : Int(CURLUSESSL_ALL.rawValue))
        set(CURLOPT_TIMEOUT_MS, max(1, request.timeoutMs))
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, request.connectTimeoutMs))
        set(CURLOPT_NOSIGNAL, 1)
        // A proxy of the environment is one for the web.
        set(CURLOPT_NOPROXY, "*")
        if let user = request.user {
            set(CURLOPT_USERNAME, user)
            set(CURLOPT_PASSWORD, request.password ?? "")
        }
        if let path = request.certificatesPath { set(CURLOPT_CAINFO, path) }
        set(CURLOPT_MAIL_FROM, request.sender)
        for recipient in request.recipients {
            if let longer = unsafe curl_slist_append(recipients, recipient) { unsafe recipients = longer }
        }
        unsafe _ = ccurl_set_pointer(handle, CURLOPT_MAIL_RCPT, recipients)
        set(CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1)
        set(CURLOPT_UPLOAD, 1)
        gate.open(request.reach)
        unsafe gate.guardSockets(of: handle)
        unsafe _ = ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, explanation)
    }

    /// Lets libcurl read the message from the dialogue and write what the server says into it.
    private func attach() {
        let dialogue = unsafe Unmanaged.passUnretained(dialogue).toOpaque()
        unsafe _ = ccurl_set_read(handle) { buffer, size, count, dialogue in
            guard let buffer = unsafe buffer, let dialogue = unsafe dialogue else { return 0 }
            let mail = unsafe Unmanaged<Dialogue>.fromOpaque(dialogue).takeUnretainedValue()
            let part = min(size * count, mail.message.count - mail.sent)
            unsafe mail.message.withUnsafeBytes { bytes in
                let slice = unsafe UnsafeRawBufferPointer(rebasing: bytes[mail.sent..<mail.sent + part])
                unsafe UnsafeMutableRawBufferPointer(start: buffer, count: part).copyMemory(from: slice)
            }
            mail.sent += part
            return part
        }
        unsafe _ = ccurl_set_pointer(handle, CURLOPT_READDATA, dialogue)
        unsafe _ = ccurl_set_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, dialogue in
            guard let bytes = unsafe bytes, let dialogue = unsafe dialogue else { return size * count }
            let raw = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            let line = unsafe String(decoding: raw.prefix(1000), as: UTF8.self)
            unsafe Unmanaged<Dialogue>.fromOpaque(dialogue).takeUnretainedValue().take(line)
            return size * count
        }
        unsafe _ = ccurl_set_pointer(handle, CURLOPT_HEADERDATA, dialogue)
    }

    private func error(_ result: CURLcode) -> MailTransferError {
        var detail = unsafe String(cString: explanation)
        if detail.isEmpty { detail = unsafe String(cString: curl_easy_strerror(result)) }
        if let refusal = gate.refusal { return MailTransferError(.addressRefused, detail: refusal) }
        let lastLine = dialogue.refusal ?? dialogue.lastLine
        let code: MailTransferError.Code
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST: code = .couldNotResolve
        case CURLE_COULDNT_CONNECT: code = .couldNotConnect
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_USE_SSL_FAILED:
            code = .tlsFailed
        case CURLE_OPERATION_TIMEDOUT: code = .timedOut
        case CURLE_URL_MALFORMAT: code = .invalidRequest
        default:
            let reply = dialogue.refusal.flatMap { Int($0.prefix(3)) }
            code = reply.map { .refused($0) } ?? .other(Int32(result.rawValue))
        }
        return MailTransferError(code, detail: detail, lastLine: lastLine)
    }

    private func set(_ option: CURLoption, _ value: Int) { unsafe _ = ccurl_set_long(handle, option, value) }

    private func set(_ option: CURLoption, _ value: String) { unsafe _ = ccurl_set_text(handle, option, value) }
}
