internal import CCurl

/// Decides, at the moment when libcurl opens a socket, whether it may: by the address that will be connected to, so that
/// no name, redirect or second answer of a name server leads elsewhere.
@safe
final class HTTPTransferGate {
    private var reach = AddressReach.everywhere
    private var refused: HTTPRemoteAddress?
    private var hasOpened = false

    /// Begins anew, with this reach.
    func open(_ reach: AddressReach) {
        self.reach = reach
        refused = nil
        hasOpened = false
    }

    /// Why nothing was connected to, where that is this gate's doing.
    var refusal: String? {
        guard !hasOpened, let refused else { return nil }
        return "\(refused) is an address of this machine, a private network or a metadata service"
    }

    /// Asks this gate before each socket of the handle. It must outlive the handle's transfers.
    func guardSockets(of handle: UnsafeMutableRawPointer) {
        unsafe _ = ccurl_set_open_socket(handle) { gate, _, wanted in
            guard let gate = unsafe gate, let wanted = unsafe wanted else { return CURL_SOCKET_BAD }
            return unsafe Unmanaged<HTTPTransferGate>.fromOpaque(gate).takeUnretainedValue().socket(for: wanted)
        }
        unsafe _ = ccurl_set_pointer(handle, CURLOPT_OPENSOCKETDATA, Unmanaged.passUnretained(self).toOpaque())
    }

    private func socket(for wanted: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        let address = unsafe HTTPRemoteAddress(ccurl_address(wanted))
        guard reach == .everywhere || address.isPublic else {
            refused = address
            return CURL_SOCKET_BAD
        }
        hasOpened = true
        return unsafe ccurl_socket(wanted)
    }
}
