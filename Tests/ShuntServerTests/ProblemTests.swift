import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// Errors as clients see them: RFC 9457, with codes that scripts may rely on.
@Suite struct ProblemTests {
    struct Refused: Sendable {
        var refusal: HTTPRefusal
        var status: Int

        init(_ refusal: HTTPRefusal, _ status: Int) {
            self.refusal = refusal
            self.status = status
        }
    }

    static let refusals: [Row<Refused>] = [
        Row("malformedRequest", Refused(.malformed, 400)), Row("tooSlow", Refused(.tooSlow, 408)),
        Row("bodyTooLarge", Refused(.bodyTooLarge, 413)), Row("targetTooLong", Refused(.targetTooLong, 414)),
        Row("headTooLarge", Refused(.headTooLarge, 431)), Row("overloaded", Refused(.overloaded, 503)),
    ]

    @Test(arguments: refusals)
    func `each refusal of the transport has its status and code`(row: Row<Refused>) {
        let problem = Problem.of(row.value.refusal)
        #expect(problem.code == row.name)
        #expect(problem.status == row.value.status)
        #expect(problem.status == row.value.refusal.status)
        #expect(problem.headers.contains { $0.name == "Retry-After" } == (problem.status == 503))
    }

    @Test func `the table of refusals is whole`() {
        #expect(Set(Self.refusals.map(\.value.refusal)) == Set(HTTPRefusal.allCases))
    }

    @Test func `each error of intake has its status and code`() {
        let tooMany = Problem.of(IntakeError.tooManyEvents(limit: 7))
        #expect(tooMany.status == 413 && tooMany.code == "tooManyEvents" && tooMany.detail.contains("7"))
        let shape = Problem.of(IntakeError.wrongShape("expected this"))
        #expect(shape.status == 422 && shape.code == "wrongShape" && shape.detail == "expected this")
        var document = JSONDocument()
        let unreadable = #expect(throws: JSONError.self) { try document.parse(Array("[1,]".utf8)) }
        guard let unreadable else { return }
        let problem = Problem.of(.unreadable(unreadable))
        #expect(problem.status == 400 && problem.code == "invalidJSON" && problem.offset == 3)
    }

    @Test func `a body has the members of RFC 9457, and the reply its fields`() throws {
        var problem = Problem.retryLater(503, "overloaded", "a \"quoted\"\nreason", afterSec: 7)
        problem.offset = 12
        problem.rejections = [
            IntakeBatch.Rejection(index: 3, problem: EventProblem(.tooLong, at: "/a~1b", "expected less"))
        ]
        let reply = problem.reply
        #expect(reply.status == 503)
        let fields = Dictionary(reply.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        #expect(
            fields == ["Content-Type": "application/problem+json", "Cache-Control": "no-store", "Retry-After": "7"]
        )
        let text = String(decoding: reply.body, as: UTF8.self)
        #expect(
            text == #"{"type":"about:blank","title":"Service Unavailable","status":503,"code":"overloaded","#
                + #""detail":"a \"quoted\"\nreason","offset":12,"#
                + #""rejected":[{"index":3,"pointer":"/a~1b","code":"tooLong","detail":"expected less"}]}"#
        )
    }

    @Test(arguments: [400, 401, 403, 404, 405, 406, 408, 409, 413, 414, 415, 422, 429, 431, 503])
    func `each status in use has its title`(status: Int) throws {
        let body = String(decoding: Problem(status, "code", "detail").reply.body, as: UTF8.self)
        #expect(!body.contains(#""title":"Error""#))
    }
}
