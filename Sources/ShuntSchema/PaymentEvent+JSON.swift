extension PaymentEvent {
    /// Writes the event in its canonical form: contract.md's names in one fixed order, nothing that is absent.
    ///
    /// This is what the journal keeps and what `GET /v1/events` answers.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("eventId", eventId)
        writer.field("occurredAt", occurredAt)
        writer.field("source", source)
        writer.field("environment", environment)
        writer.field("paymentMethod", paymentMethod)
        writer.field("network", network)
        writer.field("psp", psp)
        writer.field("route", route)
        writer.field("stage", stage.rawValue)
        writer.field("outcome", outcome.rawValue)
        if let error {
            writer.key("error")
            error.write(to: &writer)
        }
        writer.field("attemptId", attemptId)
        writer.field("orderRef", orderRef)
        writer.field("pspReference", pspReference)
        writer.field("installId", installId)
        writer.field("traceId", traceId)
        writer.field("switchVersion", switchVersion)
        if let app {
            writer.key("app")
            writer.beginObject()
            writer.field("bundleId", app.bundleId)
            writer.field("version", app.version)
            writer.field("build", app.build)
            writer.endObject()
        }
        if let os {
            writer.key("os")
            writer.beginObject()
            writer.field("name", os.name)
            writer.field("version", os.version)
            writer.endObject()
        }
        writer.field("deviceModel", deviceModel)
        writer.field("region", region)
        writer.field("merchantId", merchantId)
        if let amount {
            writer.key("amount")
            writer.beginObject()
            writer.field("minor", amount.minor)
            writer.field("currency", amount.currency)
            writer.endObject()
        }
        writer.field("durationMs", durationMs)
        writer.field("bodyBytes", bodyBytes)
        writer.field("tokenVersion", tokenVersion)
        writer.field("requestHost", requestHost)
        if !context.isEmpty {
            writer.key("context")
            writer.beginObject()
            for entry in context {
                writer.key(entry.key)
                entry.value.write(to: &writer)
            }
            writer.endObject()
        }
        if let counts {
            writer.field("kind", "counts")
            writer.field("from", counts.from)
            writer.field("to", counts.to)
            writer.field("count", counts.count)
        }
        writer.endObject()
    }
}

extension ErrorReport {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("domain", domain)
        writer.field("code", code)
        writer.field("subcode", subcode)
        writer.field("message", message)
        writer.field("httpStatus", httpStatus)
        if !underlying.isEmpty {
            writer.key("underlying")
            writer.beginArray()
            for error in underlying {
                writer.beginObject()
                writer.field("domain", error.domain)
                writer.field("code", error.code)
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
