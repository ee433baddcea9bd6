internal import ShuntNative
internal import ShuntSchema

/// The evaluation context of a request: what is known of the payer.
struct OFREPContext: Equatable {
    /// The environment whose switches are meant.
    var environment = PaymentEvent.defaultEnvironment
    /// What the slices of a switch are matched against, as `GET /v1/switches/{key}` takes it from its query; the
    /// targeting key is the `installId`.
    var attributes: [String: String] = [:]

    /// Why a context can't be read.
    enum ReadingError: Error, Equatable {
        /// The client's doing.
        case failure(OFREPFailure)
        /// Ours.
        case outOfMemory
    }

    private static let limits = JSONLimits(values: 4096, bytes: OFREPEndpoint.maximumBodyBytes)

    init() {}

    /// Reads `{"context": {…}}`; members beside the context are ignored.
    init(_ body: [UInt8]) throws(ReadingError) {
        var document = JSONDocument(limits: Self.limits)
        do throws(JSONError) {
            try document.parse(body)
        } catch {
            switch error.code {
            case .outOfMemory: throw .outOfMemory
            case .empty: throw Self.invalid("expected a body: {\"context\": {…}}")
            default: throw .failure(OFREPFailure(.parseError, "the body isn't sound JSON: \(error)"))
            }
        }
        guard let context = document.member("context", of: document.root), !document.isNull(context) else {
            throw Self.invalid("context is missing; expected {\"context\": {…}}")
        }
        guard document.kind(of: context) == .object else { throw Self.invalid("expected context to be an object") }
        try read(context, of: document)
    }

    private mutating func read(_ context: JSONValue, of document: borrowing JSONDocument) throws(ReadingError) {
        var targetingKey: String?
        var members = document.children(of: context)
        while let member = members.next(in: document) {
            switch document.key(of: member) {
            case "targetingKey":
                guard !document.isNull(member) else { continue }
                guard let key = document.string(of: member) else {
                    throw Self.invalid("expected context.targetingKey to be a text")
                }
                targetingKey = key
            case "environment":
                guard !document.isNull(member) else { continue }
                guard let name = document.string(of: member), !name.isEmpty, name.utf8.count <= EventLimit.name else {
                    throw Self.invalid("expected context.environment to be a text of 1 to \(EventLimit.name) bytes")
                }
                environment = name
            case let name:
                take(member, as: name, of: document)
            }
        }
        // Without one a payer is told what is safe for everybody. An error would send them to the app's own default,
        // and that in the moment when a switch begins to let a few installs try the normal way.
        if let targetingKey, !targetingKey.isEmpty { attributes["installId"] = targetingKey }
    }

    /// Takes an attribute. What is inside an object is named as events name it: `{"app": {"version": …}}` is
    /// `app.version`. Lists and nulls match no slice.
    private mutating func take(_ value: JSONValue, as name: String, of document: borrowing JSONDocument) {
        if document.kind(of: value) == .object {
            var members = document.children(of: value)
            while let member = members.next(in: document) {
                take(member, as: "\(name).\(document.key(of: member))", of: document)
            }
            return
        }
        let text = document.string(of: value) ?? document.numberText(of: value) ?? document.bool(of: value)?.description
        // The first of a name counts, as in a query.
        if let text, attributes[name] == nil { attributes[name] = text }
    }

    private static func invalid(_ details: String) -> ReadingError {
        .failure(OFREPFailure(.invalidContext, details))
    }
}
