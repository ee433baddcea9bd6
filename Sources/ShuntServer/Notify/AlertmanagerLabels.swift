internal import ShuntCore
internal import ShuntSchema

/// An alert in Alertmanager's words: labels are its identity, so nothing in them changes while it fires.
struct AlertmanagerLabels {
    let labels: [ScopeAttribute]
    let annotations: [ScopeAttribute]

    init(_ alert: Notice.AlertFacts, of notice: Notice, in text: NoticeText) {
        var labels = [
            ScopeAttribute(name: "alertname", value: alert.rule),
            ScopeAttribute(name: "severity", value: alert.severity.rawValue),
        ]
        for attribute in notice.identity {
            let name = Self.name(attribute.name)
            // An empty label is none, to Alertmanager; two names may become one.
            guard !attribute.value.isEmpty, !labels.contains(where: { $0.name == name }) else { continue }
            labels.append(ScopeAttribute(name: name, value: MessageText.line(attribute.value, limit: 200)))
        }
        if notice.isTest { labels.append(ScopeAttribute(name: "test", value: "true")) }
        self.labels = labels.sorted { $0.name < $1.name }
        annotations =
            [
                ScopeAttribute(name: "summary", value: text.title),
                ScopeAttribute(name: "description", value: text.lines.joined(separator: "\n")),
                ScopeAttribute(name: "alert_id", value: alert.id),
            ] + notice.links.filter { $0.name == "runbook" }.map { ScopeAttribute(name: "runbook_url", value: $0.url) }
    }

    /// The alert that there is to tell of. Alertmanager knows no switches, and for an early word it has no form: whatever
    /// it is told of fires.
    static func alert(of notice: Notice) -> Notice.AlertFacts? {
        switch notice.happening {
        case .switchMoved, .warning: nil
        case .firing, .reminder, .mitigated, .escalated, .acknowledged, .resolved: notice.alert
        }
    }

    /// A name that a label may have: `[a-zA-Z_][a-zA-Z0-9_]*`.
    static func name(_ text: String) -> String {
        var name = ""
        for scalar in text.unicodeScalars {
            let isWord = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            name.unicodeScalars.append(isWord ? scalar : "_")
        }
        let startsWell = name.unicodeScalars.first.map { $0.properties.numericType == nil } ?? false
        return startsWell ? name : "_" + name
    }

    static func write(_ attributes: [ScopeAttribute], as key: String, to writer: inout JSONWriter) {
        writer.key(key)
        writer.beginObject()
        for attribute in attributes { writer.field(attribute.name, attribute.value) }
        writer.endObject()
    }
}
