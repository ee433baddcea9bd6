internal import Glibc

/// A file descriptor that closes itself.
struct HTTPDescriptor: ~Copyable, Sendable {
    /// The number of the descriptor.
    let number: Int32

    /// Takes what a system call returned; throws its errno if that's negative.
    init(_ number: Int32, from call: String) throws(HTTPServerError) {
        guard number >= 0 else { throw .system(call: call, errno: errno) }
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Another descriptor of the same open file.
    func duplicate() throws(HTTPServerError) -> HTTPDescriptor {
        try HTTPDescriptor(fcntl(number, F_DUPFD_CLOEXEC, 0), from: "fcntl")
    }

    /// Gives the number away without closing it.
    consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }
}
