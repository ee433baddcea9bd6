internal import CCurl

/// An owned easy handle of libcurl, with its options typed.
///
/// It knows how one transfer is set up and judged, not who drives it: a blocking call here, and a multi handle where
/// many transfers run at once.
@safe
struct HTTPTransferHandle: ~Copyable {
    /// libcurl must be prepared once, before the first handle.
    static let isPrepared = ccurl_prepare() == CURLE_OK

    private let handle: UnsafeMutableRawPointer
    /// Where libcurl writes its explanation of a failure.
    private let explanation: UnsafeMutablePointer<CChar>
    /// The header list of the current transfer, which libcurl doesn't copy.
    private var fields: UnsafeMutablePointer<curl_slist>?
    /// Which addresses the current transfer may reach.
    private let gate = HTTPTransferGate()

    init() {
        precondition(HTTPTransferHandle.isPrepared, "libcurl can't be prepared")
        guard let handle = unsafe curl_easy_init() else { preconditionFailure("no memory for a transfer") }
        unsafe self.handle = handle
        unsafe explanation = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe explanation.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe fields = nil
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe curl_slist_free_all(fields)
        unsafe explanation.deallocate()
    }

    /// Forgets the last transfer's options, not its connections.
    mutating func reset() {
        unsafe curl_easy_reset(handle)
        unsafe curl_slist_free_all(fields)
        unsafe fields = nil
        unsafe explanation[0] = 0
        gate.open(.everywhere)
    }

    /// Sets everything but the body.
    mutating func configure(_ request: HTTPTransfer.Request) {
        set(CURLOPT_URL, request.url)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_USERAGENT, "shunt")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_TIMEOUT_MS, max(1, request.timeoutMs))
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, request.connectTimeoutMs))
        // Timeouts by signal would hit whatever thread is running.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        // The environment may name a proxy; it can't know our loopback.
        if HTTPTransferRules.isLoopback(request.url) { set(CURLOPT_NOPROXY, "*") }
        if request.reach == .publicOnly {
            gate.open(.publicOnly)
            unsafe gate.guardSockets(of: handle)
            set(CURLOPT_NOPROXY, "*")
            set(CURLOPT_FRESH_CONNECT, 1)
            set(CURLOPT_FORBID_REUSE, 1)
        }
        if let path = request.certificatesPath { set(CURLOPT_CAINFO, path) }
        if request.method == "HEAD" { set(CURLOPT_NOBODY, 1) } else { set(CURLOPT_CUSTOMREQUEST, request.method) }
        // An announced length is refused at once, an unannounced one by the sink.
        unsafe _ = ccurl_set_offset(handle, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(max(1, request.maximumResponseBytes)))
        unsafe _ = ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, explanation)
        set(headers: request.headers)
    }

    /// Runs the transfer to its end.
    func perform(sending body: [UInt8]?, into sink: inout HTTPTransferSink) -> CURLcode {
        unsafe withUnsafeMutablePointer(to: &sink) { sink in
            unsafe _ = ccurl_set_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, sink in
                unsafe HTTPTransferHandle.deliver(bytes, size * count, sink) { unsafe $0.take(body: $1) }
            }
            unsafe _ = ccurl_set_pointer(handle, CURLOPT_WRITEDATA, sink)
            unsafe _ = ccurl_set_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, sink in
                unsafe HTTPTransferHandle.deliver(bytes, size * count, sink) { unsafe $0.take(line: $1) }
            }
            unsafe _ = ccurl_set_pointer(handle, CURLOPT_HEADERDATA, sink)
            guard let body else { return unsafe curl_easy_perform(handle) }
            return unsafe body.withUnsafeBytes { body in
                unsafe _ = ccurl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
                // Not copied by libcurl, so it only has to live for this call. Null would mean "read from stdin".
                if let first = body.baseAddress {
                    unsafe _ = ccurl_set_pointer(handle, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: first))
                } else {
                    unsafe _ = ccurl_set_text(handle, CURLOPT_POSTFIELDS, "")
                }
                return unsafe curl_easy_perform(handle)
            }
        }
    }

    /// The status of the last transfer's response.
    var status: Int { number(CURLINFO_RESPONSE_CODE) }

    /// The last transfer's failure in our words.
    func error(_ result: CURLcode, _ sink: HTTPTransferSink) -> HTTPTransferError {
        let code: HTTPTransferError.Code
        var mayHaveBeenSent = true
        switch result {
        case _ where sink.isOverfull: code = .tooLarge
        case CURLE_FILESIZE_EXCEEDED: code = .tooLarge
        case CURLE_OPERATION_TIMEDOUT:
            code = .timedOut
            mayHaveBeenSent = number(CURLINFO_REQUEST_SIZE) > 0
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            code = .couldNotResolve
            mayHaveBeenSent = false
        case _ where gate.refusal != nil:
            code = .addressRefused
            mayHaveBeenSent = false
        case CURLE_COULDNT_CONNECT:
            code = .couldNotConnect
            mayHaveBeenSent = false
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE:
            code = .tlsFailed
            mayHaveBeenSent = false
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
            code = .invalidRequest
            mayHaveBeenSent = false
        case CURLE_OK: code = .other(Int32(CURLE_WEIRD_SERVER_REPLY.rawValue))
        default: code = .other(Int32(result.rawValue))
        }
        var detail = unsafe String(cString: explanation)
        if detail.isEmpty { detail = unsafe String(cString: curl_easy_strerror(result)) }
        if result == CURLE_OK { detail = "the response breaks off in its head" }
        if let refusal = gate.refusal { detail = refusal }
        if sink.isOverfull { detail = "the response is bigger than \(sink.maximumBytes) bytes" }
        return HTTPTransferError(code, detail: detail, mayHaveBeenSent: mayHaveBeenSent)
    }

    // MARK: Options

    private func set(_ option: CURLoption, _ value: Int) { unsafe _ = ccurl_set_long(handle, option, value) }

    private func set(_ option: CURLoption, _ value: String) { unsafe _ = ccurl_set_text(handle, option, value) }

    private func number(_ info: CURLINFO) -> Int {
        var value = 0
        unsafe _ = ccurl_get_long(handle, info, &value)
        return value
    }

    private mutating func set(headers: [HTTPTransfer.Header]) {
        var lines: [String] = []
        for header in headers {
            // In libcurl's notation "Name:" takes a header away, and "Name;" sends one without value.
            lines.append(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        func lacks(_ name: String) -> Bool { !headers.contains { $0.name.lowercased() == name } }
        // What libcurl would add unasked: a form's type, and a pause of a second before big bodies.
        if lacks("content-type") { lines.append("Content-Type:") }
        if lacks("expect") { lines.append("Expect:") }
        for line in lines {
            // Null means no memory; the list so far stays ours.
            if let longer = unsafe curl_slist_append(fields, line) { unsafe fields = longer }
        }
        unsafe _ = ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, fields)
    }

    private static func deliver(
        _ bytes: UnsafeMutablePointer<CChar>?,
        _ count: Int,
        _ sink: UnsafeMutableRawPointer?,
        _ take: (inout HTTPTransferSink, UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Int {
        guard let sink = unsafe sink?.assumingMemoryBound(to: HTTPTransferSink.self), count > 0 else { return count }
        let raw = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
        let isTaken = unsafe raw.withMemoryRebound(to: UInt8.self) { unsafe take(&sink.pointee, $0) }
        // Anything but the whole count makes libcurl stop.
        return isTaken ? count : 0
    }
}
