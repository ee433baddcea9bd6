/// Why a server couldn't be started.
public enum HTTPServerError: Error, Equatable {
    /// Not a numeric IPv4 or IPv6 address.
    case addressNotNumeric(String)
    /// Another socket holds the address and port.
    case addressInUse(String, port: UInt16)
    /// The address isn't one of this machine's.
    case addressNotAvailable(String)
    /// The port needs rights that the process hasn't got.
    case permissionDenied(String, port: UInt16)
    /// A system call failed.
    case system(call: String, errno: Int32)
    /// The library couldn't start.
    case daemon
}
