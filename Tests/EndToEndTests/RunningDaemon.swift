import Foundation

/// A daemon that serves: the real binary on a free port and a folder of its own, ended by its process id.
final class RunningDaemon: Sendable {
    /// The daemon ended, or said something else than the ready line.
    struct NotReady: Error, CustomStringConvertible {
        let description: String
    }

    let folder: TemporaryFolder
    let client: Client
    let child: ChildProcess

    /// Starts a daemon on this folder and returns once it has said that it's ready.
    static func start(
        on folder: TemporaryFolder,
        listen: String = "127.0.0.1:0",
        arguments: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> RunningDaemon {
        let address = Promise<String>("the ready line")
        let child = try ChildProcess(
            ["serve", "--listen", listen, "--data", folder.path("data")] + arguments,
            environment: environment,
            onOutput: { text in
                // The port is only known once its line has ended.
                if let line = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                    .first(where: { $0.hasPrefix(readyPrefix) })
                {
                    address.settle(.success(String(line.dropFirst(readyPrefix.count))))
                }
            }
        )
        let watch = Task {
            let end = try await child.end(withinSeconds: readySeconds)
            let errors = try await child.errors.wholeText(withinSeconds: 5)
            address.settle(.failure(NotReady(description: "shunt serve ended with \(end): \(errors)")))
        }
        defer { watch.cancel() }
        do {
            let base = try await address.value(withinSeconds: readySeconds)
            return RunningDaemon(folder: folder, client: Client(base: base), child: child)
        } catch {
            child.signal(SIGKILL)
            throw NotReady(description: "\(error); it wrote: \(child.output.text)\(child.errors.text)")
        }
    }

    private static let readyPrefix = "shunt: ready on "
    private static let readySeconds = 30.0

    private init(folder: TemporaryFolder, client: Client, child: ChildProcess) {
        self.folder = folder
        self.client = client
        self.child = child
    }

    /// The address that `--url` wants.
    var url: String { client.base }

    /// Ends it as an operator would, and makes sure that it's gone.
    @discardableResult
    func stop() async throws -> ChildProcess.End {
        child.signal(SIGTERM)
        do {
            return try await child.end(withinSeconds: 20)
        } catch {
            child.signal(SIGKILL)
            throw error
        }
    }

    /// Ends it as a power cut would end its process: no handler runs, nothing is flushed.
    func crash() async throws {
        child.signal(SIGKILL)
        _ = try await child.end(withinSeconds: 20)
    }
}

/// Runs a scenario against a fresh daemon, and ends the daemon whatever comes.
func withDaemon(
    on folder: TemporaryFolder? = nil,
    arguments: [String] = [],
    _ scenario: (RunningDaemon) async throws -> Void
) async throws {
    let daemon = try await RunningDaemon.start(on: folder ?? TemporaryFolder(), arguments: arguments)
    do {
        try await scenario(daemon)
    } catch {
        try? await daemon.crash()
        throw error
    }
    try await daemon.stop()
}
