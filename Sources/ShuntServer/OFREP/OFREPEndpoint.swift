internal import ShuntNative
internal import ShuntSchema

/// The OpenFeature Remote Evaluation Protocol: each switch is a flag whose value is the variant to take.
///
/// Source: github.com/open-feature/protocol, `service/openapi.yaml`, version 0.3.0.
struct OFREPEndpoint: Sendable {
    /// The longest body: an evaluation context.
    static let maximumBodyBytes = 64 << 10

    let board: Board

    /// `POST /ofrep/v1/evaluate/flags/{key}`: one switch for one payer.
    func evaluate(_ request: HTTPRequest, key: String) throws(Problem) -> HTTPReply {
        let context: OFREPContext
        switch try Self.context(request) {
        case .success(let read): context = read
        case .failure(let failure): return failure.reply(key: key)
        }
        let document = try document(context.environment)
        guard let status = document.switches.first(where: { $0.key == key }) else {
            let details = "no switch is called \(key.cut(toUTF8: 64))"
            return OFREPFailure(.flagNotFound, details).reply(key: key)
        }
        return OFREPEvaluation(of: status, for: context.attributes).reply(document)
    }

    /// `POST /ofrep/v1/evaluate/flags`: all switches for one payer.
    func evaluateAll(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
        let context: OFREPContext
        switch try Self.context(request) {
        case .success(let read): context = read
        case .failure(let failure): return failure.reply(key: nil)
        }
        // `flagConfigEtag` and `flagConfigLastModified` may only ask for an answer that is newer than a cache's, and
        // this one is of the present state.
        let answer = OFREPBulk(try document(context.environment), for: context.attributes)
        return answer.reply(ifNoneMatch: request.head.header("If-None-Match"))
    }

    private static func context(_ request: HTTPRequest) throws(Problem) -> Result<OFREPContext, OFREPFailure> {
        do throws(OFREPContext.ReadingError) {
            return .success(try OFREPContext(request.body))
        } catch {
            switch error {
            case .failure(let failure): return .failure(failure)
            case .outOfMemory: throw .retryLater(503, "overloaded", "there is no memory to read this now")
            }
        }
    }

    private func document(_ environment: String) throws(Problem) -> SwitchDocument {
        guard let published = board.document(environment: environment) else { throw SwitchesEndpoint.notReady }
        return published.document
    }
}
