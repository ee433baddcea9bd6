internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// A notice as the outbox keeps it: one JSON object, read back as it was.
extension Notice {
    func json() -> [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        writer.field("id", id)
        writer.field("happening", happening.rawValue)
        writer.field("atMs", at.milliseconds)
        writer.text("environment", environment)
        writer.field("isTest", isTest)
        writer.text("insteadOf", insteadOf)
        if let alert { alert.write(to: &writer) }
        failures.write(to: &writer)
        if let move { move.write(to: &writer) }
        if let closing { closing.write(to: &writer) }
        writer.text("actor", actor)
        writer.text("location", location)
        writer.text("cause", cause)
        writer.text("nextStep", nextStep)
        writer.key("links")
        writer.beginArray()
        for link in links {
            writer.beginObject()
            writer.text("name", link.name)
            writer.text("url", link.url)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Reads what `json()` wrote; nil for anything else.
    init?(json: [UInt8]) {
        var document = JSONDocument()
        do throws(JSONError) {
            try document.parse(json)
        } catch {
            return nil
        }
        let root = NoticeObject(document.root)
        guard let id = root.text("id", in: document),
            let happening = root.text("happening", in: document).flatMap(Happening.init),
            let at = root.time("atMs", in: document), let environment = root.text("environment", in: document)
        else { return nil }
        self.init(id: id, happening: happening, at: at, environment: environment)
        isTest = root.flag("isTest", in: document) ?? false
        insteadOf = root.text("insteadOf", in: document)
        if let object = root.object("alert", in: document) {
            guard let facts = AlertFacts(object, in: document) else { return nil }
            alert = facts
        }
        if let object = root.object("failures", in: document) { failures = FailureFacts(object, in: document) }
        if let object = root.object("move", in: document) {
            guard let facts = MoveFacts(object, in: document) else { return nil }
            move = facts
        }
        if let object = root.object("closing", in: document) { closing = ClosingFacts(object, in: document) }
        actor = root.text("actor", in: document)
        location = root.text("location", in: document)
        cause = root.text("cause", in: document)
        nextStep = root.text("nextStep", in: document)
        for link in root.list("links", in: document) {
            guard let name = link.text("name", in: document), let url = link.text("url", in: document) else {
                return nil
            }
            links.append(Link(name: name, url: url))
        }
    }
}

// MARK: - The parts

extension JSONWriter {
    /// A text of a notice. NUL, which a rule file may hold and which no JSON is read with, must not cost the notice.
    fileprivate mutating func text(_ name: String, _ value: String?) {
        guard let value, value.utf8.contains(0) else {
            field(name, value)
            return
        }
        field(name, String(String.UnicodeScalarView(value.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 })))
    }
}

extension Notice.AlertFacts {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.key("alert")
        writer.beginObject()
        writer.field("id", id)
        writer.text("rule", rule)
        writer.text("description", description)
        writer.field("severity", severity.rawValue)
        group.write(as: "group", to: &writer)
        writer.field("startsAtMs", startsAt.milliseconds)
        writer.field("endsAtMs", endsAt?.milliseconds)
        writer.endObject()
    }

    fileprivate init?(_ object: NoticeObject, in document: borrowing JSONDocument) {
        guard let id = object.text("id", in: document), let rule = object.text("rule", in: document),
            let description = object.text("description", in: document),
            let severity = object.text("severity", in: document).flatMap(Severity.init),
            let startsAt = object.time("startsAtMs", in: document)
        else { return nil }
        self.init(
            id: id,
            rule: rule,
            description: description,
            severity: severity,
            group: object.attributes("group", in: document),
            startsAt: startsAt,
            endsAt: object.time("endsAtMs", in: document)
        )
    }
}

extension Notice.FailureFacts {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.key("failures")
        writer.beginObject()
        writer.field("count", count)
        writer.field("usual", usual)
        writer.field("windowMs", windowMs)
        writer.field("threshold", threshold)
        writer.field("attempts", attempts)
        writer.field("sharePercent", sharePercent)
        writer.field("payers", payers)
        amounts.write(to: &writer)
        writer.endObject()
    }

    fileprivate init(_ object: NoticeObject, in document: borrowing JSONDocument) {
        self.init(
            count: object.count("count", in: document),
            usual: object.count("usual", in: document),
            windowMs: object.number("windowMs", in: document),
            threshold: object.count("threshold", in: document),
            attempts: object.count("attempts", in: document),
            sharePercent: object.count("sharePercent", in: document),
            payers: object.count("payers", in: document),
            amounts: object.amounts(in: document)
        )
    }
}

extension Notice.MoveFacts {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.key("move")
        writer.beginObject()
        writer.text("key", key)
        if let scope {
            writer.key("scope")
            writer.beginObject()
            writer.field("environment", scope.environment)
            scope.attributes.write(as: "attributes", to: &writer)
            writer.endObject()
        }
        writer.text("variant", variant)
        writer.field("version", version)
        writer.field("atMs", at?.milliseconds)
        writer.field("decision", decision?.name)
        writer.field("decisionVersion", decision?.version)
        writer.text("reason", reason)
        writer.field("cause", cause?.rawValue)
        writer.field("nextStep", nextStep?.name)
        if case .probe(let percent) = nextStep { writer.field("probePercent", percent) }
        writer.field("nextStepAtMs", nextStepAt?.milliseconds)
        writer.endObject()
    }

    fileprivate init?(_ object: NoticeObject, in document: borrowing JSONDocument) {
        guard let key = object.text("key", in: document) else { return nil }
        self.init(key: key)
        if let scope = object.object("scope", in: document) {
            self.scope = Scope(
                environment: scope.text("environment", in: document) ?? "",
                attributes: scope.attributes("attributes", in: document)
            )
        }
        variant = object.text("variant", in: document)
        version = object.number("version", in: document).map { UInt64(clamping: $0) }
        at = object.time("atMs", in: document)
        let made = object.number("decisionVersion", in: document).map { UInt64(clamping: $0) }
        decision = object.text("decision", in: document).flatMap { TripDecision(name: $0, version: made) }
        reason = object.text("reason", in: document)
        cause = object.text("cause", in: document).flatMap(SwitchCause.init)
        let percent = object.count("probePercent", in: document)
        nextStep = object.text("nextStep", in: document).flatMap { Notice.NextStep(name: $0, percent: percent) }
        nextStepAt = object.time("nextStepAtMs", in: document)
    }
}

extension Notice.ClosingFacts {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.key("closing")
        writer.beginObject()
        writer.field("failed", failed)
        amounts.write(to: &writer)
        writer.field("saved", saved)
        writer.field("ending", ending?.name)
        if case .person(let name) = ending { writer.text("endedBy", name) }
        writer.endObject()
    }

    fileprivate init(_ object: NoticeObject, in document: borrowing JSONDocument) {
        self.init(
            failed: object.count("failed", in: document),
            amounts: object.amounts(in: document),
            saved: object.count("saved", in: document),
            ending: object.text("ending", in: document).flatMap {
                Notice.Ending(name: $0, person: object.text("endedBy", in: document))
            }
        )
    }
}

extension [ScopeAttribute] {
    fileprivate func write(as name: String, to writer: inout JSONWriter) {
        writer.key(name)
        writer.beginArray()
        for attribute in self {
            writer.beginObject()
            writer.text("name", attribute.name)
            writer.text("value", attribute.value)
            writer.endObject()
        }
        writer.endArray()
    }
}

extension [Notice.Amount] {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.key("amounts")
        writer.beginArray()
        for amount in self {
            writer.beginObject()
            // A text: sums may be larger than any number in JSON that is read back exactly.
            writer.field("minor", "\(amount.minor)")
            writer.field("currency", amount.currency)
            writer.endObject()
        }
        writer.endArray()
    }
}

extension TripDecision {
    /// The decision of a name; nil for a name that none has, and for one that lacks its version.
    fileprivate init?(name: String, version: UInt64?) {
        switch (name, version) {
        case ("tripped", let version?): self = .tripped(version: version)
        case ("wouldHaveTripped", let version?): self = .wouldHaveTripped(version: version)
        case ("overridden", let version?): self = .overridden(version: version)
        case ("noSwitch", _): self = .noSwitch
        default:
            guard let hold = SwitchHold(rawValue: name) else { return nil }
            self = .held(hold)
        }
    }
}

/// A JSON object of a notice, member by member.
private struct NoticeObject {
    private let value: JSONValue

    init(_ value: JSONValue) {
        self.value = value
    }

    private func member(_ name: String, in document: borrowing JSONDocument) -> JSONValue? {
        guard document.kind(of: value) == .object else { return nil }
        return document.member(name, of: value)
    }

    func text(_ name: String, in document: borrowing JSONDocument) -> String? {
        guard let member = member(name, in: document) else { return nil }
        return document.string(of: member)
    }

    func number(_ name: String, in document: borrowing JSONDocument) -> Int64? {
        guard let member = member(name, in: document) else { return nil }
        return document.int64(of: member)
    }

    func count(_ name: String, in document: borrowing JSONDocument) -> Int? {
        number(name, in: document).map { Int(clamping: $0) }
    }

    func time(_ name: String, in document: borrowing JSONDocument) -> Timestamp? {
        number(name, in: document).map { Timestamp(milliseconds: $0) }
    }

    func flag(_ name: String, in document: borrowing JSONDocument) -> Bool? {
        guard let member = member(name, in: document) else { return nil }
        return document.bool(of: member)
    }

    func object(_ name: String, in document: borrowing JSONDocument) -> NoticeObject? {
        guard let member = member(name, in: document), document.kind(of: member) == .object else { return nil }
        return NoticeObject(member)
    }

    func list(_ name: String, in document: borrowing JSONDocument) -> [NoticeObject] {
        guard let member = member(name, in: document), document.kind(of: member) == .array else { return [] }
        var objects: [NoticeObject] = []
        var children = document.children(of: member)
        while let child = children.next(in: document) { objects.append(NoticeObject(child)) }
        return objects
    }

    func attributes(_ name: String, in document: borrowing JSONDocument) -> [ScopeAttribute] {
        var attributes: [ScopeAttribute] = []
        for object in list(name, in: document) {
            guard let name = object.text("name", in: document), let value = object.text("value", in: document) else {
                continue
            }
            attributes.append(ScopeAttribute(name: name, value: value))
        }
        return attributes
    }

    func amounts(in document: borrowing JSONDocument) -> [Notice.Amount] {
        var amounts: [Notice.Amount] = []
        for object in list("amounts", in: document) {
            guard let minor = object.text("minor", in: document).flatMap({ Int128($0) }),
                let currency = object.text("currency", in: document)
            else { continue }
            amounts.append(Notice.Amount(minor: minor, currency: currency))
        }
        return amounts
    }
}
