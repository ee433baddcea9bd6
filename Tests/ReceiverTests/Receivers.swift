import Foundation
import ShuntNative
import ShuntSchema
import Synchronization
import Testing

@testable import ShuntCore
@testable import ShuntServer

/// Channels against real receivers: an Alertmanager, a mail server, and a server that plays the vendors' answers. One
/// at a time, since some have a bound in seconds.
@Suite(.serialized)
enum Receivers {}

/// What a receiver that doesn't come up, or doesn't get what it should, is told as.
struct ReceiverError: Error, CustomStringConvertible {
    var description: String
}

/// Rings whenever a receiver got or said something, so that a test can wait for what it expects.
final class Bell: Sendable {
    static let shared = Bell()

    private let condition = NSCondition()
    private let rings = Mutex(0)

    func ring() {
        condition.lock()
        rings.withLock { $0 += 1 }
        condition.broadcast()
        condition.unlock()
    }

    /// Waits until something holds that a ring tells of, for ten seconds at most.
    func wait(for what: String, until holds: () throws -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: 10)
        while true {
            let heard = rings.withLock { $0 }
            if try holds() { return }
            condition.lock()
            defer { condition.unlock() }
            while rings.withLock({ $0 }) == heard {
                guard condition.wait(until: deadline) else {
                    throw ReceiverError(description: "\(what) didn't come within 10 s")
                }
            }
        }
    }
}

/// A program that runs beside a test, ended by its process id when the test lets go.
final class ReceiverProcess: Sendable {
    /// What the reader's thread shares with the test; the process itself it must not hold.
    private final class Output: Sendable {
        let text = Mutex("")
        let isAtEnd = Mutex(false)
    }

    private let process: Process
    private let written = Output()

    /// - Parameter executable: a path, or a name on the `PATH`.
    init(_ executable: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [executable] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        Thread.detachNewThread { [written] in
            while true {
                let data = pipe.fileHandleForReading.availableData
                if data.isEmpty {
                    written.isAtEnd.withLock { $0 = true }
                } else {
                    written.text.withLock { $0 += String(decoding: data, as: UTF8.self) }
                }
                Bell.shared.ring()
                if data.isEmpty { return }
            }
        }
    }

    deinit { stop() }

    /// All that it has written so far.
    var output: String { written.text.withLock { $0 } }

    /// The whole lines that it has written so far.
    var lines: [String] {
        let text = output
        let whole = text.hasSuffix("\n") ? text[...] : text[..<(text.lastIndex(of: "\n") ?? text.startIndex)]
        return whole.split(separator: "\n").map(String.init)
    }

    func stop() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Runs a program to its end.
    static func run(
        _ executable: String,
        _ arguments: [String],
        environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        let program = try ReceiverProcess(executable, arguments, environment: environment)
        try Bell.shared.wait(for: "the end of \(executable)") { program.written.isAtEnd.withLock { $0 } }
        program.process.waitUntilExit()
        return (program.process.terminationStatus, program.output)
    }
}

/// A folder of its own for one test.
final class ReceiverFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "shunt-receiver-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Makes a certificate for this machine: `ca.pem`, with its key in `key.pem`.
    func makeCertificate() throws {
        let result = try ReceiverProcess.run(
            "openssl",
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
                + ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
                + ["-keyout", "\(path)/key.pem", "-out", "\(path)/ca.pem"]
        )
        guard result.status == 0 else { throw ReceiverError(description: result.output) }
    }

    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
        return "\(path)/\(name)"
    }
}

/// Notices and channels for the receivers.
enum Sample {
    /// An alert that fires now.
    static func firing(_ id: String = "412-0") -> Notice {
        let now = Timestamp(milliseconds: SystemClock.wallMilliseconds)
        let alert = Notice.AlertFacts(
            id: "412-0",
            rule: "error-code-burst",
            description: "One code fails 100 payments within 5 minutes",
            severity: .critical,
            group: [
                ScopeAttribute(name: "error.domain", value: "verify"),
                ScopeAttribute(name: "error.code", value: "8771"),
            ],
            startsAt: now.advanced(byMs: -240_000)
        )
        var notice = Notice(id: id, happening: .firing, at: now, environment: "production", alert: alert)
        notice.failures = Notice.FailureFacts(count: 132, windowMs: 300_000, payers: 97)
        return notice
    }

    static func resolved(_ firing: Notice) -> Notice {
        var notice = firing
        notice.id = "977-0"
        notice.happening = .resolved
        notice.at = Timestamp(milliseconds: SystemClock.wallMilliseconds)
        notice.alert?.endsAt = notice.at
        return notice
    }

    /// A channel by its line in `shunt.yaml`.
    static func channel(_ line: String, in folder: ReceiverFolder? = nil) throws -> Channel {
        let text = "channels:\n  - { name: a, \(line) }\n"
        let file = "\(folder?.path ?? "/nonexistent")/shunt.yaml"
        let channels = try ConfigurationFile.read(Array(text.utf8), file: file).openChannels()
        return try #require(channels.first)
    }

    /// A sender with little patience.
    static let sender = ChannelSender(connectTimeoutMs: 2000, timeoutMs: 3000, mailTimeoutMs: 5000)
}
