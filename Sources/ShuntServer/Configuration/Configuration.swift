internal import ShuntCore

/// How a daemon is run. Every setting has a default that works.
public struct Configuration: Sendable, Equatable {
    /// Where it listens.
    public var listen = ListenAddress(host: "127.0.0.1", port: 8710)
    /// The folder that holds everything durable.
    public var dataPath = "./shunt-data"
    /// The folder of rule files; what it doesn't have is built in.
    public var rulesPath = "./rules"
    /// The folder of dashboards; that of the web page at `/` is `web` in it.
    public var dashboardsPath = "./dashboards"
    /// Who may do what; without any, every role is open and only this machine is served.
    public var tokens: [AccessToken] = []
    /// Whether the switches can be polled without a token.
    public var arePollsPublic = true
    /// Where the keys are that documents are signed with; nil when they aren't.
    var signing: SigningSettings?
    /// For how many days (UTC) the journal is kept, today not counted; at least 2.
    public var retentionDays: Int64 = 30
    /// How many groups, such as error keys, a rule keeps at most; the rest are counted together. At least 1.
    public var maximumGroups = 10_000

    /// Over how many milliseconds the long-polls and streams that wait are told of a switch that moved; 0, the default,
    /// tells all at once. At most 60,000.
    public var pushSpreadMs: Int64 = 0

    var intakeLimits = IntakeLimits()

    /// Who is told of alerts, and how; their secrets aren't read yet.
    var channels: [ChannelSettings] = []
    /// Which alerts go to which channels where their rules don't say; without any, all go to all.
    var routes: [NoticeRoute] = []
    /// Where messages and pages point to.
    var links = LinkTemplates()

    /// The defaults.
    public init() {}

    /// Refuses what must not be run.
    public func check() throws(ConfigurationError) {
        guard listen.isLoopback || !tokens.isEmpty else {
            throw ConfigurationError(
                "listen \(listen) isn't a loopback address, and no tokens are configured: "
                    + "anybody who reaches it could move payers. Listen on 127.0.0.1 or [::1], or add tokens to "
                    + "shunt.yaml (shunt token new makes one)"
            )
        }
        guard (0...60_000).contains(pushSpreadMs) else {
            throw ConfigurationError("push.spread: expected 0s to 60s, found \(pushSpreadMs) ms")
        }
        guard !dataPath.isEmpty else { throw ConfigurationError("data: expected a folder, found nothing") }
    }

    var access: AccessControl { AccessControl(tokens: tokens, arePollsPublic: arePollsPublic) }
}

/// Why a configuration can't be used; the process exits with 78.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong, and what was expected.
    public var description: String
    /// What is wrong in the configuration file, each with its place; empty where something else is.
    public var problems: [RuleProblem] = []

    /// An error in words.
    public init(_ description: String) {
        self.description = description
    }

    /// All that is wrong in a file.
    init(_ problems: [RuleProblem]) {
        let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
        let file = problems.first?.file ?? ""
        description = (["\(file) has \(count):"] + problems.map(\.description)).joined(separator: "\n")
        self.problems = problems
    }
}
