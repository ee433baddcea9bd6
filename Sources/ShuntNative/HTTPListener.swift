internal import Glibc

/// A listening socket, shared by the loops.
///
/// It's made here and not by the library, because several daemons share it, and without `SO_REUSEPORT`: a second daemon
/// on the port gets an error instead of half of the requests.
struct HTTPListener: ~Copyable, Sendable {
    /// The socket.
    let descriptor: HTTPDescriptor
    /// The port bound.
    let port: UInt16

    /// Binds a numeric address and listens.
    init(address: String, port: UInt16) throws(HTTPServerError) {
        var storage = sockaddr_storage()
        let (family, length) = try Self.fill(&storage, address: address, port: port)
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = try HTTPDescriptor(socket(family, type, 0), from: "socket")
        var yes: Int32 = 1
        unsafe setsockopt(descriptor.number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        if family == AF_INET6 {
            unsafe setsockopt(
                descriptor.number,
                Int32(IPPROTO_IPV6),
                IPV6_V6ONLY,
                &yes,
                socklen_t(MemoryLayout<Int32>.size)
            )
        }
        let number = descriptor.number
        let bound = unsafe withUnsafePointer(to: &storage) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(number, $0, length) }
        }
        guard bound == 0 else {
            switch errno {
            case EADDRINUSE: throw .addressInUse(address, port: port)
            case EADDRNOTAVAIL: throw .addressNotAvailable(address)
            case EACCES: throw .permissionDenied(address, port: port)
            default: throw .system(call: "bind", errno: errno)
            }
        }
        guard listen(number, SOMAXCONN) == 0 else {
            // Two sockets with SO_REUSEADDR may both bind; only one of them may listen.
            if errno == EADDRINUSE { throw .addressInUse(address, port: port) }
            throw .system(call: "listen", errno: errno)
        }
        self.port = Self.boundPort(number)
        self.descriptor = descriptor
    }

    private static func fill(
        _ storage: inout sockaddr_storage,
        address: String,
        port: UInt16
    ) throws(HTTPServerError) -> (family: Int32, length: socklen_t) {
        var four = in_addr()
        if unsafe inet_pton(AF_INET, address, &four) == 1 {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            name.sin_addr = four
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: name, as: sockaddr_in.self) }
            return (AF_INET, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        var six = in6_addr()
        if unsafe inet_pton(AF_INET6, address, &six) == 1 {
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = port.bigEndian
            name.sin6_addr = six
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: name, as: sockaddr_in6.self) }
            return (AF_INET6, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
        throw .addressNotNumeric(address)
    }

    private static func boundPort(_ number: Int32) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(number, $0, &length) }
        }
        guard result == 0 else { return 0 }
        // The port stands at the same place in both families.
        return unsafe withUnsafeBytes(of: &storage) {
            UInt16(bigEndian: unsafe $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }
}
