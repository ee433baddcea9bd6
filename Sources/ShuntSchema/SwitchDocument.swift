/// What apps poll: every switch of one environment, at one version.
public struct SwitchDocument: Equatable, Sendable, Codable {
    /// Names the data folder that the versions belong to; versions of two epochs can't be compared.
    public var epoch: String
    /// Grows with every transition that this environment can see; never goes back within an epoch.
    public var version: UInt64
    /// The environment that it speaks for.
    public var environment: String
    /// How long a client should wait until it polls again, in seconds.
    public var pollAfterSec: Int64
    /// The switches, in the order in which they are configured.
    public var switches: [SwitchStatus]

    /// A document.
    public init(
        epoch: String,
        version: UInt64,
        environment: String,
        pollAfterSec: Int64,
        switches: [SwitchStatus]
    ) {
        self.epoch = epoch
        self.version = version
        self.environment = environment
        self.pollAfterSec = pollAfterSec
        self.switches = switches
    }
}

extension SwitchDocument {
    /// The document as JSON, in one fixed order: the same document is always the same bytes.
    public func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writeHead(to: &writer)
        writer.key("switches")
        writer.beginArray()
        for status in switches {
            writer.beginObject()
            status.writeFields(to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// One switch's document as JSON, or nil when there is no such switch.
    public func json(key: String) -> [UInt8]? {
        guard let status = switches.first(where: { $0.key == key }) else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        writeHead(to: &writer)
        status.writeFields(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    private func writeHead(to writer: inout JSONWriter) {
        writer.field("epoch", epoch)
        writer.field("version", version)
        writer.field("environment", environment)
        writer.field("pollAfterSec", pollAfterSec)
    }
}

extension SwitchStatus {
    fileprivate func writeFields(to writer: inout JSONWriter) {
        writer.field("key", key)
        writer.field("state", state.rawValue)
        if let mode { writer.field("mode", mode.rawValue) }
        writer.field("variant", variant)
        if let percent {
            writer.field("percent", percent)
            writer.field("salt", salt)
            writer.field("normalVariant", normalVariant)
        }
        writer.field("since", since)
        if let reason {
            writer.key("reason")
            writer.beginObject()
            writer.field("kind", reason.kind)
            writer.field("rule", reason.rule)
            writer.field("alert", reason.alert)
            writer.field("summary", reason.summary)
            writer.endObject()
        }
        override?.write(to: &writer)
        writer.key("scopes")
        writer.beginArray()
        for scope in scopes {
            writer.beginObject()
            writer.key("match")
            writer.beginObject()
            for (name, value) in scope.match.sorted(by: { $0.key < $1.key }) { writer.field(name, value) }
            writer.endObject()
            writer.field("state", scope.state.rawValue)
            writer.field("variant", scope.variant)
            writer.field("percent", scope.percent)
            writer.field("salt", scope.salt)
            scope.override?.write(to: &writer)
            writer.endObject()
        }
        writer.endArray()
    }
}

extension OverrideStatus {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.key("override")
        writer.beginObject()
        writer.field("variant", variant)
        writer.field("summary", summary)
        writer.field("endsAt", endsAt)
        writer.endObject()
    }
}
