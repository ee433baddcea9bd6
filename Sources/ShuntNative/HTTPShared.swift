internal import Synchronization

/// What the loops of a server share.
final class HTTPShared: Sendable {
    let configuration: HTTPServerConfiguration
    let application: any HTTPApplication
    private let refusals: [HTTPReply]
    private let bufferedBytes = Atomic<Int>(0)
    private let connections = Atomic<Int>(0)
    private let connectionsByAddress = Mutex<[HTTPRemoteAddress: Int]>([:])

    init(configuration: HTTPServerConfiguration, application: any HTTPApplication) {
        self.configuration = configuration
        self.application = application
        refusals = HTTPRefusal.allCases.map(configuration.refusal)
    }

    /// The reply of a refusal, rendered once.
    func reply(_ refusal: HTTPRefusal) -> HTTPReply {
        // `allCases` has every case.
        HTTPRefusal.allCases.firstIndex(of: refusal).map { refusals[$0] } ?? HTTPReply(status: refusal.status)
    }

    /// Whether so many more bytes of bodies may be held.
    func mayBuffer(_ count: Int) -> Bool {
        bufferedBytes.load(ordering: .relaxed) + count <= configuration.maximumBufferedBodyBytes
    }

    /// Counts bytes of bodies, negative when they are let go.
    func addBuffered(_ count: Int) {
        if count != 0 { bufferedBytes.wrappingAdd(count, ordering: .relaxed) }
    }

    /// Bytes of bodies held now.
    var buffered: Int { bufferedBytes.load(ordering: .relaxed) }

    /// Whether another connection from an address may be taken. Loopback isn't bound: a proxy in front is one address.
    func mayConnect(_ address: HTTPRemoteAddress) -> Bool {
        guard let maximum = configuration.maximumConnectionsPerAddress, !address.isLoopback else { return true }
        return connectionsByAddress.withLock { $0[address, default: 0] < maximum }
    }

    /// Connections held now.
    var connectionCount: Int { connections.load(ordering: .relaxed) }

    /// Counts a connection, or its end.
    func count(_ address: HTTPRemoteAddress, _ change: Int) {
        connections.wrappingAdd(change, ordering: .relaxed)
        guard configuration.maximumConnectionsPerAddress != nil, !address.isLoopback else { return }
        connectionsByAddress.withLock { connections in
            let count = connections[address, default: 0] + change
            connections[address] = count > 0 ? count : nil
        }
    }
}
