/// An HTTP/1.1 server on one listening socket, with a loop thread per core.
public final class HTTPServer: Sendable {
    /// Binds and listens; serves only after `start`.
    public init(configuration: HTTPServerConfiguration, application: any HTTPApplication) throws(HTTPServerError) {
        throw .daemon
    }

    /// The port bound.
    public var port: UInt16 { 0 }

    /// Starts the loop threads. Once only.
    public func start() throws(HTTPServerError) {}

    /// Stops accepting, finishes the requests in flight within `drainMs`, answers parked ones with their time-out reply,
    /// closes all connections and joins the threads. Later calls return at once.
    public func stop(drainMs: Int64) {}
}
