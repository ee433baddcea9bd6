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

/// The state of a switch's machine, as clients see it.
public enum SwitchPhase: String, CaseIterable, Hashable, Sendable, Codable {
    /// Payers go the normal way.
    case normal
    /// Payers go the degraded way.
    case degraded
}

/// One switch, for a whole environment and for the scopes within it that differ.
public struct SwitchStatus: Equatable, Sendable, Codable {
    /// The switch's name, e.g. `apple-pay`.
    public var key: String
    /// The machine's state for the environment as a whole.
    public var state: SwitchPhase
    /// The route to take: e.g. `native` or `web`.
    public var variant: String
    /// Since when.
    public var since: Timestamp
    /// Why, when it isn't normal.
    public var reason: SwitchReason?
    /// The narrower slices whose state isn't normal.
    public var scopes: [ScopeStatus]

    /// A switch's status.
    public init(
        key: String,
        state: SwitchPhase,
        variant: String,
        since: Timestamp,
        reason: SwitchReason?,
        scopes: [ScopeStatus]
    ) {
        self.key = key
        self.state = state
        self.variant = variant
        self.since = since
        self.reason = reason
        self.scopes = scopes
    }
}

/// Why a switch isn't normal.
public struct SwitchReason: Equatable, Sendable, Codable {
    /// `rule` or `operator`.
    public var kind: String
    /// The rule that tripped it.
    public var rule: String?
    /// The alert that tells of it.
    public var alert: String?
    /// One sentence for a person.
    public var summary: String

    /// A reason.
    public init(kind: String, rule: String? = nil, alert: String? = nil, summary: String) {
        self.kind = kind
        self.rule = rule
        self.alert = alert
        self.summary = summary
    }
}

/// A slice of an environment in which a switch differs.
public struct ScopeStatus: Equatable, Sendable, Codable {
    /// The attributes that define the slice, e.g. `region`: `CN`; written in the order of their names.
    public var match: [String: String]
    /// The machine's state in the slice.
    public var state: SwitchPhase
    /// The route to take in the slice.
    public var variant: String
    /// The share of the slice's payers that take it, 0 to 100.
    public var percent: Int64

    /// A slice's status.
    public init(match: [String: String], state: SwitchPhase, variant: String, percent: Int64) {
        self.match = match
        self.state = state
        self.variant = variant
        self.percent = percent
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
        writer.field("variant", variant)
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
            writer.endObject()
        }
        writer.endArray()
    }
}
