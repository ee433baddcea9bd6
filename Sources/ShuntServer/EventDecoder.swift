internal import ShuntNative
internal import ShuntSchema

/// Reads one event out of a JSON document, member by member.
///
/// One decoder for both doors: what the journal kept is read back by the same code that took it in.
struct EventDecoder {
    /// Members that the contract doesn't know; ignored, and counted.
    private(set) var unknownFields = 0

    /// Whether reading the same text again, in any version, gives this very event: it holds only members that are
    /// known, nothing was cut, and no default had to stand in. Such a text can be kept as it is.
    var isFaithful: Bool { unknownFields == 0 && !hasCut && told == Told.all && !lacksDomain }

    private var told: Told = []
    private var hasCut = false
    private var lacksDomain = false

    /// The members for which a default stands in where the reporter doesn't tell.
    private struct Told: OptionSet {
        let rawValue: UInt8
        static let source = Told(rawValue: 1)
        static let environment = Told(rawValue: 2)
        static let stage = Told(rawValue: 4)
        static let outcome = Told(rawValue: 8)
        static let all: Told = [.source, .environment, .stage, .outcome]
    }

    /// Where an event comes from.
    enum Door {
        /// A reporter: everything has its limits.
        case intake
        /// The journal: what was taken once is read as it is. Redaction may have made a text longer than a reporter's
        /// may be, and a version with tighter limits must still read what an older one took.
        case journal
    }

    private let isLimited: Bool
    private let fields: FieldReader

    init(door: Door = .intake) {
        isLimited = door == .intake
        fields = FieldReader(isLimited: isLimited)
    }

    /// Reads an event.
    mutating func decode(_ value: JSONValue, in document: borrowing JSONDocument) throws(EventProblem) -> PaymentEvent {
        guard document.kind(of: value) == .object else {
            throw EventProblem(.wrongType, at: "", "expected an object with at least error.code")
        }
        var event = PaymentEvent()
        var counter = CounterFields()
        var members = document.children(of: value)
        while let member = members.next(in: document) {
            guard let number = document.keyNumber(of: member, in: EventField.vocabulary),
                let field = EventField(rawValue: number)
            else {
                unknownFields += 1
                continue
            }
            if document.isNull(member) { continue }
            try read(field, from: member, in: document, into: &event, counter: &counter)
        }
        event.counts = try counter.counts(for: event.outcome)
        if event.outcome == .failed, event.error == nil {
            throw EventProblem(.missing, at: "/error/code", "expected the error's code; a failed event needs one")
        }
        return event
    }

    private mutating func read(
        _ field: EventField,
        from member: JSONValue,
        in document: borrowing JSONDocument,
        into event: inout PaymentEvent,
        counter: inout CounterFields
    ) throws(EventProblem) {
        // Only an error needs it.
        var path: String { EventField.pointers[field.rawValue] }
        switch field {
        case .eventId: event.eventId = try fields.identifier(member, document, path)
        case .occurredAt: event.occurredAt = try fields.time(member, document, path)
        case .source:
            guard let source = try fields.name(member, document, path) else { return }
            event.source = source
            told.insert(.source)
        case .environment:
            guard let environment = try fields.name(member, document, path) else { return }
            event.environment = environment
            told.insert(.environment)
        case .paymentMethod: event.paymentMethod = try fields.name(member, document, path)
        case .network: event.network = try fields.name(member, document, path)
        case .psp: event.psp = try fields.name(member, document, path)
        case .route: event.route = try fields.name(member, document, path)
        case .stage:
            event.stage = try fields.choice(member, document, path, of: EventWords.stages)
            told.insert(.stage)
        case .outcome:
            event.outcome = try fields.choice(member, document, path, of: EventWords.outcomes)
            told.insert(.outcome)
        case .error: event.error = try readError(member, in: document)
        case .attemptId: event.attemptId = try fields.identifier(member, document, path)
        case .orderRef: event.orderRef = try fields.identifier(member, document, path)
        case .pspReference: event.pspReference = try fields.identifier(member, document, path)
        case .installId: event.installId = try fields.identifier(member, document, path)
        case .traceId: event.traceId = try fields.identifier(member, document, path)
        case .switchVersion: event.switchVersion = UInt64(try fields.integer(member, document, path, in: 0...Int64.max))
        case .app: event.app = try readApp(member, in: document)
        case .os: event.os = try readOS(member, in: document)
        case .deviceModel: event.deviceModel = try fields.text(member, document, path, limit: EventLimit.identifier)
        case .region: event.region = try fields.name(member, document, path)
        case .merchantId: event.merchantId = try fields.identifier(member, document, path)
        case .amount: event.amount = try readAmount(member, in: document)
        case .durationMs: event.durationMs = try fields.integer(member, document, path, in: 0...Int64.max)
        case .bodyBytes: event.bodyBytes = try fields.integer(member, document, path, in: 0...Int64.max)
        case .tokenVersion: event.tokenVersion = try fields.name(member, document, path)
        case .requestHost: event.requestHost = try fields.identifier(member, document, path)
        case .context: event.context = try readContext(member, in: document)
        case .kind: counter.kind = try fields.name(member, document, path)
        case .from: counter.from = try fields.time(member, document, path)
        case .to: counter.to = try fields.time(member, document, path)
        case .count: counter.count = try fields.integer(member, document, path, in: 1...EventLimit.counts)
        }
    }

    private mutating func readError(
        _ value: JSONValue,
        in document: borrowing JSONDocument
    ) throws(EventProblem) -> ErrorReport {
        try fields.expectObject(value, document, "/error")
        var error = ErrorReport(code: "")
        var isDomainTold = false
        var members = document.children(of: value)
        while let member = members.next(in: document) {
            guard let number = document.keyNumber(of: member, in: ErrorField.vocabulary),
                let field = ErrorField(rawValue: number)
            else {
                unknownFields += 1
                continue
            }
            if document.isNull(member) { continue }
            var path: String { ErrorField.pointers[field.rawValue] }
            switch field {
            case .domain:
                guard let domain = try fields.errorKey(member, document, path) else { break }
                error.domain = domain
                isDomainTold = true
            case .code: error.code = try fields.errorKey(member, document, path) ?? ""
            case .subcode: error.subcode = try fields.errorKey(member, document, path)
            case .message:
                error.message = try fields.prose(member, document, path, limit: EventLimit.message)
                if document.utf8Count(of: member) ?? 0 > EventLimit.message { hasCut = true }
            case .httpStatus: error.httpStatus = try fields.integer(member, document, path, in: 0...999)
            case .underlying: error.underlying = try readUnderlying(member, in: document)
            }
        }
        guard !error.code.isEmpty else {
            throw EventProblem(.missing, at: "/error/code", "expected a string or an integer that isn't empty")
        }
        if !isDomainTold { lacksDomain = true }
        return error
    }

    private mutating func readUnderlying(
        _ value: JSONValue,
        in document: borrowing JSONDocument
    ) throws(EventProblem) -> [UnderlyingError] {
        let path = "/error/underlying"
        guard document.kind(of: value) == .array else {
            throw EventProblem(.wrongType, at: path, "expected an array of objects with domain and code")
        }
        guard document.count(of: value) <= EventLimit.underlying || !isLimited else {
            throw EventProblem(.tooMany, at: path, "expected at most \(EventLimit.underlying) underlying errors")
        }
        var errors: [UnderlyingError] = []
        var elements = document.children(of: value)
        while let element = elements.next(in: document) {
            let number = errors.count
            var elementPath: String { "\(path)/\(number)" }
            try fields.expectObject(element, document, elementPath)
            var error = UnderlyingError(domain: "unknown", code: "")
            var isDomainTold = false
            var members = document.children(of: element)
            while let member = members.next(in: document) {
                if document.keyEquals("domain", of: member) {
                    if document.isNull(member) { continue }
                    guard let domain = try fields.errorKey(member, document, "\(elementPath)/domain") else { continue }
                    error.domain = domain
                    isDomainTold = true
                } else if document.keyEquals("code", of: member) {
                    if document.isNull(member) { continue }
                    error.code = try fields.errorKey(member, document, "\(elementPath)/code") ?? ""
                } else {
                    unknownFields += 1
                }
            }
            guard !error.code.isEmpty else {
                throw EventProblem(.missing, at: "\(elementPath)/code", "expected a string or an integer")
            }
            if !isDomainTold { lacksDomain = true }
            errors.append(error)
        }
        return errors
    }

    private mutating func readApp(
        _ value: JSONValue,
        in document: borrowing JSONDocument
    ) throws(EventProblem) -> AppInfo {
        try fields.expectObject(value, document, "/app")
        var app = AppInfo()
        var members = document.children(of: value)
        while let member = members.next(in: document) {
            if document.isNull(member) { continue }
            if document.keyEquals("bundleId", of: member) {
                app.bundleId = try fields.identifier(member, document, "/app/bundleId")
            } else if document.keyEquals("version", of: member) {
                app.version = try fields.name(member, document, "/app/version")
            } else if document.keyEquals("build", of: member) {
                app.build = try fields.name(member, document, "/app/build")
            } else {
                unknownFields += 1
            }
        }
        return app
    }

    private mutating func readOS(
        _ value: JSONValue,
        in document: borrowing JSONDocument
    ) throws(EventProblem) -> OSInfo {
        try fields.expectObject(value, document, "/os")
        var os = OSInfo()
        var members = document.children(of: value)
        while let member = members.next(in: document) {
            if document.isNull(member) { continue }
            if document.keyEquals("name", of: member) {
                os.name = try fields.name(member, document, "/os/name")
            } else if document.keyEquals("version", of: member) {
                os.version = try fields.name(member, document, "/os/version")
            } else {
                unknownFields += 1
            }
        }
        return os
    }

    private mutating func readAmount(
        _ value: JSONValue,
        in document: borrowing JSONDocument
    ) throws(EventProblem) -> Amount {
        try fields.expectObject(value, document, "/amount")
        var minor: Int64?
        var currency: String?
        var members = document.children(of: value)
        while let member = members.next(in: document) {
            if document.keyEquals("minor", of: member) {
                if document.isNull(member) { continue }
                minor = try fields.integer(member, document, "/amount/minor", in: Int64.min...Int64.max)
            } else if document.keyEquals("currency", of: member) {
                if document.isNull(member) { continue }
                currency = try fields.name(member, document, "/amount/currency")
            } else {
                unknownFields += 1
            }
        }
        guard let minor else {
            throw EventProblem(.missing, at: "/amount/minor", "expected an integer of minor units")
        }
        guard let currency else {
            throw EventProblem(.missing, at: "/amount/currency", "expected an ISO 4217 code such as CNY")
        }
        guard currency.utf8.count == 3,
            currency.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else {
            throw EventProblem(.unknownValue, at: "/amount/currency", "expected an ISO 4217 code such as CNY")
        }
        return Amount(minor: minor, currency: currency)
    }

    private mutating func readContext(
        _ value: JSONValue,
        in document: borrowing JSONDocument
    ) throws(EventProblem) -> [ContextEntry] {
        try fields.expectObject(value, document, "/context")
        guard document.count(of: value) <= EventLimit.contextEntries || !isLimited else {
            throw EventProblem(.tooMany, at: "/context", "expected at most \(EventLimit.contextEntries) entries")
        }
        var entries: [ContextEntry] = []
        var members = document.children(of: value)
        while let member = members.next(in: document) {
            let key = document.key(of: member)
            guard key.utf8.count <= EventLimit.contextKey || !isLimited else {
                throw EventProblem(.tooLong, at: "/context", "expected keys of at most \(EventLimit.contextKey) bytes")
            }
            let value = try fields.scalar(member, document, "/context/\(Self.pointerPart(key))")
            if document.utf8Count(of: member) ?? 0 > EventLimit.contextValue { hasCut = true }
            entries.append(ContextEntry(key: key, value: value))
        }
        entries.sort { $0.key < $1.key }
        return entries
    }

    /// A key as a JSON pointer writes it (RFC 6901, 3).
    private static func pointerPart(_ key: String) -> String {
        var part = ""
        for scalar in key.unicodeScalars {
            switch scalar {
            case "~": part += "~0"
            case "/": part += "~1"
            default: part.unicodeScalars.append(scalar)
            }
        }
        return part
    }
}

/// The members that make an event a counter.
private struct CounterFields {
    var kind: String?
    var from: Timestamp?
    var to: Timestamp?
    var count: Int64?

    func counts(for outcome: Outcome) throws(EventProblem) -> Counts? {
        guard let kind else {
            // Taken as a single event it would stand for one payment instead of all that it counts.
            guard count == nil else {
                throw EventProblem(.missing, at: "/kind", "expected counts beside a count")
            }
            return nil
        }
        guard kind == "counts" else {
            throw EventProblem(.unknownValue, at: "/kind", "expected counts, or no kind for a single event")
        }
        guard outcome == .succeeded || outcome == .attempted else {
            throw EventProblem(
                .unknownValue,
                at: "/outcome",
                "expected succeeded or attempted: failures are reported one by one"
            )
        }
        guard let from else { throw EventProblem(.missing, at: "/from", "expected the start of the counted time") }
        guard let to else { throw EventProblem(.missing, at: "/to", "expected the end of the counted time") }
        guard let count else { throw EventProblem(.missing, at: "/count", "expected how many there were") }
        guard from <= to else { throw EventProblem(.outOfRange, at: "/to", "expected a time not before from") }
        return Counts(from: from, to: to, count: count)
    }
}
