import Foundation
import Testing

extension EndToEnd {
    /// Reports as other systems really write them. They aren't canonical events, so most are refused; none may crash,
    /// hang or be half understood.
    @Suite struct `Real inputs` {
        static let folder = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "../shared/data/real-inputs").standardizedFileURL

        static let isPresent = FileManager.default.fileExists(atPath: folder.path)

        @Test(.enabled(if: isPresent, "no ../shared/data/real-inputs beside the package"))
        func `each gets a clear refusal or a verdict within a second, and the daemon goes on`() async throws {
            let files = try FileManager.default.subpathsOfDirectory(atPath: Self.folder.path)
                .filter { ["json", "txt", "jws"].contains(URL(filePath: $0).pathExtension) }.sorted()
            #expect(files.count > 50)
            try await withDaemon { daemon in
                let clock = ContinuousClock()
                for file in files {
                    let bytes = Array(try Data(contentsOf: Self.folder.appending(path: file)))
                    let start = clock.now
                    let reply = try await daemon.client.post("/v1/events", bytes: bytes)
                    #expect(clock.now - start < .seconds(1), "\(file)")
                    if reply.status == 202 {
                        let verdict = try reply.decode(Verdict.self)
                        #expect(verdict.accepted + verdict.rejected.count > 0, "\(file): \(reply)")
                    } else {
                        #expect([400, 413, 422].contains(reply.status), "\(file): \(reply)")
                        #expect(reply["content-type"] == "application/problem+json", "\(file)")
                        let problem = try reply.decode(Problem.self)
                        #expect(!problem.code.isEmpty && problem.detail?.isEmpty == false, "\(file): \(reply)")
                    }
                }
                #expect(try await daemon.client.get("/healthz").status == 200)
                #expect(try await daemon.variant() == "native")
                try await daemon.report(SampleEvent.failures(1...100))
                #expect(try await daemon.variant() == "web")
            }
        }
    }
}
