/// The names of an event's members.
private enum Key {
    static let eventId = JSONKey("eventId")
    static let occurredAt = JSONKey("occurredAt")
    static let source = JSONKey("source")
    static let environment = JSONKey("environment")
    static let paymentMethod = JSONKey("paymentMethod")
    static let network = JSONKey("network")
    static let psp = JSONKey("psp")
    static let route = JSONKey("route")
    static let stage = JSONKey("stage")
    static let outcome = JSONKey("outcome")
    static let error = JSONKey("error")
    static let attemptId = JSONKey("attemptId")
    static let orderRef = JSONKey("orderRef")
    static let pspReference = JSONKey("pspReference")
    static let installId = JSONKey("installId")
    static let traceId = JSONKey("traceId")
    static let switchVersion = JSONKey("switchVersion")
    static let app = JSONKey("app")
    static let bundleId = JSONKey("bundleId")
    static let version = JSONKey("version")
    static let build = JSONKey("build")
    static let os = JSONKey("os")
    static let name = JSONKey("name")
    static let deviceModel = JSONKey("deviceModel")
    static let region = JSONKey("region")
    static let merchantId = JSONKey("merchantId")
    static let amount = JSONKey("amount")
    static let minor = JSONKey("minor")
    static let currency = JSONKey("currency")
    static let durationMs = JSONKey("durationMs")
    static let bodyBytes = JSONKey("bodyBytes")
    static let tokenVersion = JSONKey("tokenVersion")
    static let requestHost = JSONKey("requestHost")
    static let context = JSONKey("context")
    static let kind = JSONKey("kind")
    static let from = JSONKey("from")
    static let to = JSONKey("to")
    static let count = JSONKey("count")
    static let domain = JSONKey("domain")
    static let code = JSONKey("code")
    static let subcode = JSONKey("subcode")
    static let message = JSONKey("message")
    static let httpStatus = JSONKey("httpStatus")
    static let underlying = JSONKey("underlying")
}

extension PaymentEvent {
    /// Writes the event in its canonical form: contract.md's names in one fixed order, nothing that is absent.
    ///
    /// This is what the journal keeps and what `GET /v1/events` answers.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field(Key.eventId, eventId)
        writer.field(Key.occurredAt, occurredAt)
        writer.field(Key.source, source)
        writer.field(Key.environment, environment)
        writer.field(Key.paymentMethod, paymentMethod)
        writer.field(Key.network, network)
        writer.field(Key.psp, psp)
        writer.field(Key.route, route)
        writer.field(Key.stage, stage.rawValue)
        writer.field(Key.outcome, outcome.rawValue)
        if let error {
            writer.key(Key.error)
            error.write(to: &writer)
        }
        writer.field(Key.attemptId, attemptId)
        writer.field(Key.orderRef, orderRef)
        writer.field(Key.pspReference, pspReference)
        writer.field(Key.installId, installId)
        writer.field(Key.traceId, traceId)
        writer.field(Key.switchVersion, switchVersion)
        if let app {
            writer.key(Key.app)
            writer.beginObject()
            writer.field(Key.bundleId, app.bundleId)
            writer.field(Key.version, app.version)
            writer.field(Key.build, app.build)
            writer.endObject()
        }
        if let os {
            writer.key(Key.os)
            writer.beginObject()
            writer.field(Key.name, os.name)
            writer.field(Key.version, os.version)
            writer.endObject()
        }
        writer.field(Key.deviceModel, deviceModel)
        writer.field(Key.region, region)
        writer.field(Key.merchantId, merchantId)
        if let amount {
            writer.key(Key.amount)
            writer.beginObject()
            writer.field(Key.minor, amount.minor)
            writer.field(Key.currency, amount.currency)
            writer.endObject()
        }
        writer.field(Key.durationMs, durationMs)
        writer.field(Key.bodyBytes, bodyBytes)
        writer.field(Key.tokenVersion, tokenVersion)
        writer.field(Key.requestHost, requestHost)
        if !context.isEmpty {
            writer.key(Key.context)
            writer.beginObject()
            for entry in context {
                writer.key(entry.key)
                entry.value.write(to: &writer)
            }
            writer.endObject()
        }
        if let counts {
            writer.field(Key.kind, "counts")
            writer.field(Key.from, counts.from)
            writer.field(Key.to, counts.to)
            writer.field(Key.count, counts.count)
        }
        writer.endObject()
    }
}

extension ErrorReport {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field(Key.domain, domain)
        writer.field(Key.code, code)
        writer.field(Key.subcode, subcode)
        writer.field(Key.message, message)
        writer.field(Key.httpStatus, httpStatus)
        if !underlying.isEmpty {
            writer.key(Key.underlying)
            writer.beginArray()
            for error in underlying {
                writer.beginObject()
                writer.field(Key.domain, error.domain)
                writer.field(Key.code, error.code)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
    }
}

extension Scalar {
    /// Writes the value as JSON.
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .string(let value): writer.string(value)
        case .integer(let value): writer.integer(value)
        case .number(let value): writer.number(value)
        case .bool(let value): writer.bool(value)
        case .null: writer.null()
        }
    }
}
