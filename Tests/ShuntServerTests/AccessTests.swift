import ShuntCore
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// Who may do what, through the real server.
@Suite struct AccessTests {
    /// Tokens of every role.
    private struct Keys {
        let app: NewToken
        let backend: NewToken
        let reader: NewToken
        let operator_: NewToken

        init() throws {
            app = try NewToken(name: "app", role: .report, trust: .public)
            backend = try NewToken(name: "backend", role: .report, trust: .trusted)
            reader = try NewToken(name: "reader", role: .read, trust: .trusted)
            operator_ = try NewToken(name: "on-call", role: .operate, trust: .trusted)
        }

        var all: [NewToken] { [app, backend, reader, operator_] }

        func access(arePollsPublic: Bool = true) -> AccessControl {
            AccessControl(tokens: all.map(\.access), arePollsPublic: arePollsPublic)
        }
    }

    private static func bearer(_ token: String) -> [(String, String)] { [("Authorization", "Bearer \(token)")] }

    /// An address, with a body where it takes one, and who may use it.
    struct Door: Sendable, CustomTestStringConvertible {
        let target: String
        var body: String?
        /// Named as `Route.access` names it, but said anew.
        let roles: Set<Role>
        var isOpen = false
        var isDeleted = false

        /// As `openapi.json` has it.
        var method: String { isDeleted ? "delete" : body == nil ? "get" : "post" }
        var testDescription: String { "\(method) \(target)" }
    }

    private static let context = #"{"context":{}}"#

    /// Every operation that `openapi.json` has must be here: a test below asks.
    static let doors = [
        Door(target: "/healthz", roles: [], isOpen: true),
        Door(target: "/readyz", roles: [], isOpen: true),
        Door(target: "/openapi.json", roles: [], isOpen: true),
        Door(target: "/v1/access", roles: [], isOpen: true),
        Door(target: "/v1/switches", roles: [], isOpen: true),
        Door(target: "/v1/switches/{key}", roles: [], isOpen: true),
        Door(target: "/ofrep/v1/evaluate/flags", body: context, roles: [], isOpen: true),
        Door(target: "/ofrep/v1/evaluate/flags/{key}", body: context, roles: [], isOpen: true),
        Door(target: "/v1/events", body: "[]", roles: [.report]),
        Door(target: "/metrics", roles: [.read, .operate]),
        Door(target: "/v1/audit", roles: [.read, .operate]),
        Door(target: "/v1/switches/{key}/history", roles: [.read, .operate]),
        Door(target: "/v1/rules", roles: [.read, .operate]),
        Door(target: "/v1/explain", roles: [.read, .operate]),
        Door(target: "/v1/outlook", roles: [.read, .operate]),
        Door(target: "/v1/rules/reload", body: "", roles: [.operate]),
        Door(target: "/v1/switches/{key}/trip", body: #"{"reason":"r"}"#, roles: [.operate]),
        Door(target: "/v1/switches/{key}/restore", body: #"{"reason":"r"}"#, roles: [.operate]),
        Door(target: "/v1/switches/{key}/override", body: #"{"reason":"r","variant":"web"}"#, roles: [.operate]),
        Door(target: "/v1/switches/{key}/override", roles: [.operate], isDeleted: true),
        Door(target: "/v1/switches/{key}/mode", body: #"{"reason":"r","mode":"armed"}"#, roles: [.operate]),
        Door(target: "/v1/alerts", roles: [.read, .operate]),
        Door(target: "/v1/alerts/{id}", roles: [.read, .operate]),
        Door(target: "/v1/alerts/{id}/ack", body: "{}", roles: [.operate]),
        Door(target: "/v1/errors", roles: [.read, .operate]),
        Door(target: "/v1/errors/{code}", roles: [.read, .operate]),
        Door(target: "/v1/events", roles: [.read, .operate]),
        Door(target: "/v1/events/{id}", roles: [.read, .operate]),
        Door(target: "/v1/inDoubt", roles: [.read, .operate]),
        Door(target: "/v1/attempts/{id}", roles: [.read, .operate]),
        Door(target: "/v1/attempts/{id}/settle", body: "{}", roles: [.operate]),
        Door(target: "/v1/silences", roles: [.read, .operate]),
        Door(target: "/v1/silences", body: #"{"matchers":[],"comment":"c"}"#, roles: [.operate]),
        Door(target: "/v1/silences/{id}", roles: [.operate], isDeleted: true),
    ]

    /// A door like those, which isn't asked here because its answer doesn't end.
    private static let stream = Door(target: "/v1/switches/stream", roles: [], isOpen: true)

    private func ask(
        _ server: TestServer,
        _ door: Door,
        headers: [(String, String)] = []
    ) throws -> HTTPTransfer.Response {
        let target = door.target.replacing("{key}", with: "apple-pay").replacing("{id}", with: "1-0")
            .replacing("{code}", with: "8771")
        let question = door.target == "/v1/explain" ? "\(target)?code=1" : target
        if door.isDeleted {
            var request = server.request("\(question)?reason=r", headers: headers)
            request.method = "DELETE"
            var transfer = HTTPTransfer()
            return try transfer.perform(request)
        }
        if let body = door.body { return try server.post(question, body, headers: headers) }
        return try server.get(question, headers: headers)
    }

    @Test func `each role opens its doors and no others`() throws {
        let keys = try Keys()
        let server = try TestServer(access: keys.access())
        defer { server.stop() }
        for door in Self.doors {
            for key in keys.all {
                let response = try ask(server, door, headers: Self.bearer(key.text))
                let isLet = door.isOpen || door.roles.contains(key.access.role)
                #expect((response.status == 403) != isLet, "\(door.target) \(key.access.name): \(response.text)")
                #expect(response.status != 401, "\(door.target) \(key.access.name)")
                guard !isLet else { continue }
                #expect(response.text.contains("\"code\":\"roleMissing\""))
                #expect(response.header("Content-Type") == "application/problem+json")
                for role in door.roles { #expect(response.text.contains(role.rawValue), "\(response.text)") }
                #expect(response.header("WWW-Authenticate")?.contains("insufficient_scope") == true)
            }
        }
        let refused = server.parts.metrics.snapshot.refusals
        // A few doors by four keys, less those that are let through.
        let expected = Self.doors.filter { !$0.isOpen }.reduce(0) { sum, door in
            sum + keys.all.count { !door.roles.contains($0.access.role) }
        }
        #expect(refused == [.role: UInt64(expected)])
    }

    struct Presented: Sendable {
        var headers: [(String, String)]
        var code: String
        var refusal: AccessControl.Refusal
    }

    static let presented: [Row<Presented>] = [
        Row("nothing", Presented(headers: [], code: "tokenMissing", refusal: .missing)),
        Row("a stranger's", Presented(headers: bearer("shunt_x"), code: "tokenUnknown", refusal: .unknown)),
        Row(
            "a password",
            Presented(headers: [("Authorization", "Basic YTpi")], code: "tokenMalformed", refusal: .malformed)
        ),
        Row(
            "a scheme alone",
            Presented(headers: [("Authorization", "Bearer")], code: "tokenMalformed", refusal: .malformed)
        ),
        Row(
            "two words",
            Presented(headers: bearer("shunt_a shunt_b"), code: "tokenMalformed", refusal: .malformed)
        ),
    ]

    @Test(arguments: presented)
    func `who shows no token that is known is refused at every door but the open ones`(row: Row<Presented>) throws {
        let server = try TestServer(access: try Keys().access())
        defer { server.stop() }
        for door in Self.doors {
            let response = try ask(server, door, headers: row.value.headers)
            #expect((response.status == 401) == !door.isOpen, "\(door.target): \(response.text)")
            guard !door.isOpen else { continue }
            #expect(response.text.contains("\"code\":\"\(row.value.code)\""), "\(response.text)")
            #expect(response.header("WWW-Authenticate")?.hasPrefix("Bearer ") == true)
            #expect(!response.text.contains("shunt_"))
        }
        let closed = UInt64(Self.doors.count { !$0.isOpen })
        #expect(server.parts.metrics.snapshot.refusals == [row.value.refusal: closed])
    }

    @Test func `without tokens every door is open`() throws {
        let server = try TestServer()
        defer { server.stop() }
        for door in Self.doors {
            #expect(![401, 403].contains(try ask(server, door).status), "\(door.target)")
        }
    }

    @Test func `polls that aren't public need any token, and no shared cache keeps them`() throws {
        let keys = try Keys()
        let server = try TestServer(access: keys.access(arePollsPublic: false), arePollsPublic: false)
        defer { server.stop() }
        for target in ["/v1/switches", "/v1/switches/apple-pay", "/v1/switches?after=0&waitSec=1"] {
            let refused = try server.get(target)
            #expect(refused.status == 401, "\(target)")
            #expect(refused.header("Cache-Control") == "no-store")
            for key in keys.all {
                let response = try server.get(target, headers: Self.bearer(key.text))
                #expect(response.status == 200, "\(target)")
                #expect(response.header("Cache-Control")?.hasPrefix("private, ") == true)
            }
        }
        for target in ["/ofrep/v1/evaluate/flags", "/ofrep/v1/evaluate/flags/apple-pay"] {
            let refused = try server.post(target, Self.context)
            #expect(refused.status == 401, "\(target)")
            #expect(refused.header("WWW-Authenticate") == "Bearer realm=\"shunt\"")
            #expect(refused.header("Content-Type") == "application/json")
            #expect(refused.text.hasPrefix(#"{"errorDetails":"expected Authorization: Bearer"#), "\(refused.text)")
            for key in keys.all {
                #expect(
                    try server.post(target, Self.context, headers: Self.bearer(key.text)).status == 200,
                    "\(target)"
                )
            }
        }
        #expect(try server.get("/healthz").status == 200)
    }

    @Test func `polls that are public may be kept by any cache`() throws {
        let server = try TestServer(access: try Keys().access())
        defer { server.stop() }
        let response = try server.get("/v1/switches", headers: Self.bearer("revoked"))
        #expect(response.status == 200)
        #expect(response.header("Cache-Control")?.hasPrefix("public, ") == true)
    }

    @Test func `whether it is ready is for all, why it isn't for readers`() throws {
        let keys = try Keys()
        let server = try TestServer(access: keys.access())
        defer { server.stop() }
        #expect(try server.get("/readyz").text == #"{"ready":true}"#)
        #expect(try server.get("/readyz", headers: Self.bearer(keys.app.text)).text == #"{"ready":true}"#)
        for key in [keys.reader, keys.operator_] {
            #expect(try server.get("/readyz", headers: Self.bearer(key.text)).text.contains("\"checks\""))
        }
        // Nobody was refused anything.
        #expect(server.parts.metrics.snapshot.refusals.isEmpty)
    }

    @Test(arguments: ["bearer", "BEARER", "Bearer  "])
    func `the scheme is read in any case`(scheme: String) throws {
        let keys = try Keys()
        let server = try TestServer(access: keys.access())
        defer { server.stop() }
        let headers = [("Authorization", "\(scheme) \(keys.reader.text)")]
        #expect(try server.get("/v1/rules", headers: headers).status == 200)
    }

    @Test func `an operator's name is in the journal`() throws {
        let keys = try Keys()
        let server = try TestServer(access: keys.access())
        let trip = try server.post(
            "/v1/switches/apple-pay/trip",
            #"{"reason":"r"}"#,
            headers: Self.bearer(keys.operator_.text)
        )
        server.stop()
        #expect(trip.status == 200)
        let actors = try server.parts.inputs().compactMap { input -> String? in
            if case .command(let command) = input { command.actor } else { nil }
        }
        #expect(actors == ["on-call"])
    }

    // MARK: The document

    /// Operations of `openapi.json` with the roles that it says they need.
    private static func documented() throws -> [String: [String]] {
        var document = JSONDocument(limits: JSONLimits(depth: 64))
        try document.parse(OpenAPI.document)
        var operations: [String: [String]] = [:]
        guard let paths = document.member("paths", of: document.root) else { return [:] }
        var path = document.children(of: paths)
        while let item = path.next(in: document) {
            var methods = document.children(of: item)
            while let operation = methods.next(in: document) {
                var roles: [String] = []
                if let security = document.member("security", of: operation) {
                    var entries = document.children(of: security)
                    while let entry = entries.next(in: document) {
                        // An empty entry: it works without as well.
                        guard let list = document.member("token", of: entry) else { break }
                        var words = document.children(of: list)
                        while let word = words.next(in: document) { roles.append(document.string(of: word) ?? "") }
                    }
                }
                operations["\(document.key(of: operation)) \(document.key(of: item))"] = roles
            }
        }
        return operations
    }

    @Test func `the document knows every door and says what it needs`() throws {
        let documented = try Self.documented()
        let doors = Dictionary(
            uniqueKeysWithValues: (Self.doors + [Self.stream]).map { door in
                (door.testDescription, door.roles.map(\.rawValue).sorted())
            }
        )
        #expect(documented.mapValues { $0.sorted() } == doors)
    }

    @Test func `each address says who may use it`() throws {
        for door in Self.doors + [Self.stream] {
            let method: HTTPMethod = door.isDeleted ? .delete : door.body == nil ? .get : .post
            let target = door.target.replacing("{key}", with: "apple-pay").replacing("{id}", with: "1-0")
                .replacing("{code}", with: "8771")
            let route = try #require(Route(path: target, method: method))
            #expect(Set(route.access.roles(arePollsPublic: true)) == door.roles, "\(door.target)")
        }
        #expect(RouteAccess.poll.roles(arePollsPublic: false) == Role.allCases)
    }
}
