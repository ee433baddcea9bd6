public import ShuntSchema

extension PaymentEvent {
    /// Takes out of every text of the event what must not be kept, before anything else sees it.
    ///
    /// - Returns: what was found; empty when the event is as it was.
    public mutating func redact() -> RedactionKinds {
        var found = RedactionKinds()
        // Declared ids: digits in them are a card number only with a sound check digit.
        eventId.redact(as: .identifier, into: &found)
        attemptId.redact(as: .identifier, into: &found)
        orderRef.redact(as: .identifier, into: &found)
        pspReference.redact(as: .identifier, into: &found)
        installId.redact(as: .identifier, into: &found)
        traceId.redact(as: .identifier, into: &found)
        source.redact(as: .freeText, into: &found)
        environment.redact(as: .freeText, into: &found)
        paymentMethod.redact(as: .freeText, into: &found)
        network.redact(as: .freeText, into: &found)
        psp.redact(as: .freeText, into: &found)
        route.redact(as: .freeText, into: &found)
        deviceModel.redact(as: .freeText, into: &found)
        region.redact(as: .freeText, into: &found)
        merchantId.redact(as: .freeText, into: &found)
        tokenVersion.redact(as: .freeText, into: &found)
        requestHost.redact(as: .freeText, into: &found)
        app?.bundleId.redact(as: .freeText, into: &found)
        app?.version.redact(as: .freeText, into: &found)
        app?.build.redact(as: .freeText, into: &found)
        os?.name.redact(as: .freeText, into: &found)
        os?.version.redact(as: .freeText, into: &found)
        error?.redact(into: &found)
        if !context.isEmpty { redactContext(into: &found) }
        return found
    }

    private mutating func redactContext(into found: inout RedactionKinds) {
        for position in context.indices {
            if Redactor.shouldDrop(key: context[position].key) {
                context[position].value = .string(RedactionKind.keyedValue.marker)
                found.insert(.keyedValue)
                continue
            }
            context[position].key.redact(as: .freeText, into: &found)
            switch context[position].value {
            case .string(var text):
                text.redact(as: .freeText, into: &found)
                context[position].value = .string(text)
            case .integer(let number):
                // A card number fits an integer.
                var text = String(number)
                text.redact(as: .freeText, into: &found)
                if text != String(number) { context[position].value = .string(text) }
            case .number, .bool, .null:
                break
            }
        }
    }
}

extension ErrorReport {
    fileprivate mutating func redact(into found: inout RedactionKinds) {
        domain.redact(as: .freeText, into: &found)
        code.redact(as: .identifier, into: &found)
        subcode.redact(as: .identifier, into: &found)
        message.redact(as: .freeText, into: &found)
        for position in underlying.indices {
            underlying[position].domain.redact(as: .freeText, into: &found)
            underlying[position].code.redact(as: .identifier, into: &found)
        }
    }
}

/// The shortest text in which anything can be found: an e-mail address such as `a@b.co`.
private let shortestFinding = 6

extension String {
    fileprivate mutating func redact(as field: RedactedField, into found: inout RedactionKinds) {
        guard utf8.count >= shortestFinding, Redactor.needsRedaction(self) else { return }
        let redaction = Redactor.examine(self, as: field)
        guard !redaction.found.isEmpty else { return }
        self = redaction.text
        found.formUnion(redaction.found)
    }
}

extension String? {
    fileprivate mutating func redact(as field: RedactedField, into found: inout RedactionKinds) {
        self?.redact(as: field, into: &found)
    }
}
