internal import CMicroHTTPD
internal import Glibc

/// A client's socket on loopback that sends bytes as they are given, well-formed or not, and reads with a bound on time.
///
/// For tests, which can't call C themselves; curl only sends what is well-formed.
package final class HTTPRawSocket: Sendable {
    /// What went wrong.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    private let descriptor: Int32

    /// Connects to 127.0.0.1, or to ::1.
    package init(port: UInt16, isIPv6: Bool = false, receiveBufferBytes: Int32? = nil) throws {
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
    package func send(_ bytes: [UInt8]) -> Bool {
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

    /// Sends text as UTF-8.
    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Waits for bytes: some, or none at the end of the stream, or nil when the time is over.
    package func receive(withinMs milliseconds: Int32 = 10_000) throws -> [UInt8]? {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&waiting, 1, milliseconds) > 0 else { return nil }
        return try unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_536) { buffer in
            let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            guard count >= 0 else { throw Failure(description: "recv: \(errno)") }
            return unsafe Array(buffer.prefix(count))
        }
    }

    /// Everything until the end of the stream.
    package func receiveAll(withinMs milliseconds: Int32 = 10_000) throws -> String {
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
    package func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes the coming close a reset.
    package func resetWhenClosed() {
        var value = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }
}
