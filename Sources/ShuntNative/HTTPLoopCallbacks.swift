internal import CMicroHTTPD
internal import Glibc

/// The calls that the library makes, as C functions that find their loop and connection.
enum HTTPLoopCallbacks {
    static func table(context: UnsafeMutableRawPointer) -> shunt_http_callbacks {
        unsafe shunt_http_callbacks(
            acceptable: shuntHTTPAcceptable,
            access: shuntHTTPAccess,
            completed: shuntHTTPCompleted,
            connection: shuntHTTPConnection,
            target: shuntHTTPTarget,
            log: shuntHTTPLog,
            unescape: shuntHTTPUnescape,
            context: context
        )
    }
}

private func loop(_ context: UnsafeMutableRawPointer?) -> HTTPLoop? {
    guard let context = unsafe context else { return nil }
    return unsafe Unmanaged<HTTPLoop>.fromOpaque(context).takeUnretainedValue()
}

private func connection(_ context: UnsafeMutableRawPointer?) -> HTTPConnection? {
    guard let context = unsafe context else { return nil }
    return unsafe Unmanaged<HTTPConnection>.fromOpaque(context).takeUnretainedValue()
}

private func shuntHTTPAcceptable(
    context: UnsafeMutableRawPointer?,
    address: UnsafePointer<sockaddr>?,
    length: socklen_t
) -> MHD_Result {
    unsafe loop(context)?.shared.mayConnect(HTTPRemoteAddress(address)) == false ? .NO : .YES
}

private func shuntHTTPAccess(
    context: UnsafeMutableRawPointer?,
    handle: OpaquePointer?,
    target: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?,
    version: UnsafePointer<CChar>?,
    chunk: UnsafePointer<CChar>?,
    chunkSize: UnsafeMutablePointer<Int>?,
    requestContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let loop = unsafe loop(context), let connection = unsafe connection(requestContext?.pointee),
        let target = unsafe target, let method = unsafe method, let version = unsafe version
    else { return .NO }
    let bytes = unsafe UnsafeRawBufferPointer(start: chunk, count: chunk == nil ? 0 : chunkSize?.pointee ?? 0)
    let line = unsafe HTTPRequestLine(method: method, target: target, version: version)
    let result = unsafe loop.access(connection, line: line, chunk: bytes)
    // All of it is taken, or the connection is closed.
    unsafe chunkSize?.pointee = 0
    return result
}

private func shuntHTTPCompleted(
    context: UnsafeMutableRawPointer?,
    handle: OpaquePointer?,
    requestContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    code: MHD_RequestTerminationCode
) {
    guard let connection = unsafe connection(requestContext?.pointee) else { return }
    unsafe loop(context)?.complete(connection, code: code)
}

private func shuntHTTPConnection(
    context: UnsafeMutableRawPointer?,
    handle: OpaquePointer?,
    connectionContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    code: MHD_ConnectionNotificationCode
) {
    guard let loop = unsafe loop(context), let handle = unsafe handle else { return }
    loop.progress += 1
    if code == .CONNECTION_NOTIFY_STARTED {
        // The loop's table keeps it alive until the connection's end.
        let added = unsafe loop.add(handle)
        unsafe connectionContext?.pointee = Unmanaged.passUnretained(added).toOpaque()
    } else if let removed = unsafe connection(connectionContext?.pointee) {
        unsafe connectionContext?.pointee = nil
        loop.remove(removed)
    }
}

private func shuntHTTPTarget(
    context: UnsafeMutableRawPointer?,
    target: UnsafePointer<CChar>?,
    handle: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let handle = unsafe handle else { return nil }
    // Becomes the request's context too.
    let connectionContext = unsafe shunt_http_context(handle)
    if let connection = unsafe connection(connectionContext) {
        unsafe loop(context)?.begin(connection, target: target)
    }
    return unsafe connectionContext
}

private func shuntHTTPLog(
    context: UnsafeMutableRawPointer?,
    format: UnsafePointer<CChar>?,
    arguments: CVaListPointer?
) {
    unsafe loop(context)?.refuseBeforeLibrary()
}

/// Nothing is unescaped in place: the target is read as it was sent.
private func shuntHTTPUnescape(
    context: UnsafeMutableRawPointer?,
    handle: OpaquePointer?,
    text: UnsafeMutablePointer<CChar>?
) -> Int {
    guard let text = unsafe text else { return 0 }
    return unsafe strlen(text)
}
