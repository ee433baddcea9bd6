/// The state of a switch's machine, as clients see it.
public enum SwitchPhase: String, CaseIterable, Hashable, Sendable, Codable {
    /// Payers go the normal way.
    case normal
    /// Payers go the degraded way.
    case degraded
    /// Payers go the degraded way, but for a small share that tries the normal one.
    case probing
    /// As probing, with a share that grows step by step.
    case ramping
    /// Payers go the degraded way until a person decides: the switch tripped too often.
    case locked
}

/// What a switch's automation may do.
public enum SwitchMode: String, CaseIterable, Hashable, Sendable, Codable {
    /// It moves payers.
    case armed
    /// It does everything but move payers: the served variant stays the normal one.
    case dryRun
    /// It does nothing.
    case disarmed
}

/// One switch, for a whole environment and for the scopes within it that differ.
public struct SwitchStatus: Equatable, Sendable, Codable {
    /// The switch's name, e.g. `apple-pay`.
    public var key: String
    /// The machine's state for the environment as a whole. Beneath an override and in `dryRun` it is what the machine
    /// would do, and `variant` is what is done.
    public var state: SwitchPhase
    /// What the automation may do; nil for `armed`.
    public var mode: SwitchMode?
    /// The route to take: e.g. `native` or `web`. A client that knows nothing else is right to take it.
    public var variant: String
    /// The share of payers that take `variant`, 0 to 100; nil for all. The others take `normalVariant`.
    public var percent: Int64?
    /// What decides, with the install, who is within the share; there where `percent` is.
    public var salt: String?
    /// The route of those outside the share; there where `percent` is.
    public var normalVariant: String?
    /// Since when.
    public var since: Timestamp
    /// Why, when it isn't normal.
    public var reason: SwitchReason?
    /// A person's decision that lies over the machine's.
    public var override: OverrideStatus?
    /// The narrower slices whose state isn't normal, or that have an override of their own.
    public var scopes: [ScopeStatus]

    /// A switch's status.
    public init(
        key: String,
        state: SwitchPhase,
        mode: SwitchMode? = nil,
        variant: String,
        percent: Int64? = nil,
        salt: String? = nil,
        normalVariant: String? = nil,
        since: Timestamp,
        reason: SwitchReason?,
        override: OverrideStatus? = nil,
        scopes: [ScopeStatus]
    ) {
        self.key = key
        self.state = state
        self.mode = mode
        self.variant = variant
        self.percent = percent
        self.salt = salt
        self.normalVariant = normalVariant
        self.since = since
        self.reason = reason
        self.override = override
        self.scopes = scopes
    }
}

/// Why a switch isn't normal.
public struct SwitchReason: Equatable, Sendable, Codable {
    /// `rule`, `operator` or `recovery`.
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

/// A person's decision that lies over a switch until its end.
public struct OverrideStatus: Equatable, Sendable, Codable {
    /// The route that everybody in the slice takes.
    public var variant: String
    /// Who decided, and why.
    public var summary: String
    /// When it ends by itself.
    public var endsAt: Timestamp

    /// An override.
    public init(variant: String, summary: String, endsAt: Timestamp) {
        self.variant = variant
        self.summary = summary
        self.endsAt = endsAt
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
    /// The share of the slice's payers that take it, 0 to 100. For the others the slice is normal: the next wider one
    /// decides.
    public var percent: Int64
    /// What decides, with the install, who is within the share; nil where it is 100.
    public var salt: String?
    /// A person's decision that lies over the slice.
    public var override: OverrideStatus?

    /// A slice's status.
    public init(
        match: [String: String],
        state: SwitchPhase,
        variant: String,
        percent: Int64,
        salt: String? = nil,
        override: OverrideStatus? = nil
    ) {
        self.match = match
        self.state = state
        self.variant = variant
        self.percent = percent
        self.salt = salt
        self.override = override
    }
}
