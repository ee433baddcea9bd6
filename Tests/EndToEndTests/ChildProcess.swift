import Foundation
import Synchronization

/// The real `shunt` executable as a child, with what it writes captured and its end awaited.
final class ChildProcess: Sendable {
    /// How a process ended.
    enum End: Sendable, Hashable {
        case exit(Int32)
        case signal(Int32)
    }

    /// One of the two streams that a process writes.
    final class Stream: Sendable {
        private let bytes = Mutex<[UInt8]>([])
        private let ended = Promise<Bool>("the end of a stream")

        /// What has been written so far.
        var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

        func wholeText(withinSeconds seconds: Double) async throws -> String {
            _ = try await ended.value(withinSeconds: seconds)
            return text
        }

        /// Reads to the end on a thread of its own, which also keeps the pipe open for as long.
        fileprivate func follow(_ pipe: Pipe, onText: @escaping @Sendable (String) -> Void) {
            Thread.detachNewThread { [self] in
                while true {
                    let chunk = pipe.fileHandleForReading.availableData
                    if chunk.isEmpty { break }
                    bytes.withLock { $0.append(contentsOf: chunk) }
                    onText(text)
                }
                ended.settle(.success(true))
            }
        }
    }

    /// The debug binary beside the test bundle, where SwiftPM puts both.
    static let executable = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "shunt")

    let output = Stream()
    let errors = Stream()
    private let process: Process
    private let end = Promise<End>("the end of shunt")

    /// Starts `shunt` with these arguments, and with no `SHUNT_…` variable of the caller's environment.
    ///
    /// `onOutput` is called with all of the standard output so far, each time that there is more.
    init(
        _ arguments: [String],
        environment: [String: String] = [:],
        input: [UInt8] = [],
        directory: URL? = nil,
        onOutput: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        process = Process()
        process.executableURL = Self.executable
        process.arguments = arguments
        if let directory { process.currentDirectoryURL = directory }
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("SHUNT_") }
            .merging(environment) { $1 }
        let outputPipe = Pipe()
        let errorPipe = Pipe()
        process.standardOutput = outputPipe
        process.standardError = errorPipe
        let inputPipe = Pipe()
        process.standardInput = input.isEmpty ? FileHandle.nullDevice : inputPipe
        output.follow(outputPipe, onText: onOutput)
        errors.follow(errorPipe, onText: { _ in })
        process.terminationHandler = { [end] process in
            let status = process.terminationStatus
            end.settle(.success(process.terminationReason == .exit ? .exit(status) : .signal(status)))
        }
        try process.run()
        if !input.isEmpty {
            try inputPipe.fileHandleForWriting.write(contentsOf: input)
            try inputPipe.fileHandleForWriting.close()
        }
    }

    deinit {
        if process.isRunning { signal(SIGKILL) }
    }

    var processIdentifier: Int32 { process.processIdentifier }

    /// How it ended, or nil while it runs.
    var ended: End? { end.current }

    func signal(_ number: Int32) {
        guard ended == nil else { return }
        kill(process.processIdentifier, number)
    }

    func end(withinSeconds seconds: Double) async throws -> End {
        try await end.value(withinSeconds: seconds)
    }

    /// Runs `shunt` to its end and returns what it left.
    static func run(
        _ arguments: [String],
        environment: [String: String] = [:],
        input: [UInt8] = [],
        directory: URL? = nil,
        withinSeconds seconds: Double = 30
    ) async throws -> Finished {
        let child = try ChildProcess(arguments, environment: environment, input: input, directory: directory)
        let end = try await child.end(withinSeconds: seconds)
        return Finished(
            end: end,
            output: try await child.output.wholeText(withinSeconds: 5),
            errors: try await child.errors.wholeText(withinSeconds: 5)
        )
    }

    /// What a process that ran to its end has left.
    struct Finished: Sendable {
        let end: End
        let output: String
        let errors: String
    }
}
