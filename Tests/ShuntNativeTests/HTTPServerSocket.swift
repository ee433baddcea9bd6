import Glibc

/// A client's socket that sends bytes as they are written in a test, and reads with a bound on time.
///
/// The one file of these tests that is unsafe: C socket calls.
final class HTTPServerSocket: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let descriptor: Int32

    /// Connects to 127.0.0.1, or to ::1.
    init(port: UInt16, isIPv6: Bool = false, receiveBufferBytes: Int32? = nil) throws {
        let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(description: "socket: \(errno)") }
        self.descriptor = descriptor
        if var bytes = receiveBufferBytes {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        var result: Int32
        if isIPv6 {
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = port.bigEndian
            name.sin6_addr = in6addr_loopback
            result = unsafe withUnsafePointer(to: &name) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        } else {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            result = unsafe withUnsafePointer(to: &name) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        guard result == 0 else { throw Failure(description: "connect: \(errno)") }
    }

    deinit {
        close(descriptor)
    }

    /// Sends all bytes; false if the peer has closed.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(
                    descriptor,
                    $0.baseAddress.map { unsafe $0 + sent },
                    bytes.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Waits for bytes: some, or none at the end of the stream, or nil when the time is over.
    func receive(withinMs milliseconds: Int32 = 10_000) throws -> [UInt8]? {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&waiting, 1, milliseconds) > 0 else { return nil }
        return try unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_536) { buffer in
            let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            guard count >= 0 else { throw Failure(description: "recv: \(errno)") }
            return unsafe Array(buffer.prefix(count))
        }
    }

    /// Everything until the end of the stream.
    func receiveAll(withinMs milliseconds: Int32 = 10_000) throws -> String {
        var all: [UInt8] = []
        while true {
            guard let some = try receive(withinMs: milliseconds) else {
                throw Failure(description: "no end after \(String(decoding: all, as: UTF8.self))")
            }
            if some.isEmpty { return String(decoding: all, as: UTF8.self) }
            all += some
        }
    }

    /// Says that nothing more will be sent.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes the coming close a reset.
    func resetWhenClosed() {
        var value = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }
}

/// Nanoseconds of processor time that the process has used.
func processorTimeNanoseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Takes all descriptors that the process may have, of at most 64, and gives all but one of them.
func exhaustDescriptors() -> [Int32] {
    var limit = rlimit(rlim_cur: 64, rlim_max: 64)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var taken: [Int32] = []
    while true {
        let descriptor = dup(2)
        guard descriptor >= 0 else { break }
        taken.append(descriptor)
    }
    if let last = taken.popLast() { close(last) }
    return taken
}

/// Gives descriptors back.
func release(_ descriptors: [Int32]) {
    for descriptor in descriptors { close(descriptor) }
}
