public import ShuntSchema

/// Finds the failures that a transition was decided by among the journal's events, which are given newest first.
///
/// It keeps what the fold's windows kept: of each attempt the latest report, of each install no more than the rule
/// counts, and no more of them all than were counted. An attempt is that of the install that reported it first, so where
/// installs are capped the events are to be shown once before they are taken.
public struct EvidenceFilter: Sendable {
    /// Nothing that was received earlier counts.
    public let since: Timestamp
    /// Nothing that came later counts.
    public let lastSeq: UInt64
    /// How many it has found.
    public private(set) var count = 0

    private enum Subject: Sendable {
        case rule(RuleGround)
        case probe(ProbeGround, SwitchWatch)
    }

    private let subject: Subject
    private let lastAt: Timestamp
    private let mostCounted: Int
    private let maximumPerInstall: Int?
    private var known: Set<UInt64> = []
    private var ofInstall: [UInt64: Int] = [:]
    /// The installs of those that were shown, by their first report; nil for those that name none.
    private var owners: [UInt64: UInt64?] = [:]

    /// A filter for a transition that failures decided; nil for any other.
    ///
    /// - Parameter rules: those that were in force.
    public init?(_ transition: SwitchTransition, rules: [Rule]) {
        guard let evidence = transition.evidence else { return nil }
        lastSeq = evidence.lastSeq
        lastAt = transition.at
        switch evidence.ground {
        case .rule(let ground):
            guard let since = ground.since else { return nil }
            self.since = since
            subject = .rule(ground)
            mostCounted = ground.count
            maximumPerInstall = ground.rule.countsInWindow ? ground.rule.maximumPerInstall : nil
        case .probe(let ground):
            since = ground.machine.since
            subject = .probe(ground, SwitchWatch(ground.definition, rules: rules))
            mostCounted = ground.machine.evidence?.failures ?? 0
            maximumPerInstall = ProbeEvidence.maximumPerInstall
        case .timer, .command, .ruleFiles: return nil
        }
    }

    /// Whether all that was counted is found.
    public var isDone: Bool { count >= mostCounted }

    /// Whether the events are to be shown once, newest first, before they are taken.
    public var wantsToSee: Bool { maximumPerInstall != nil }

    /// Looks at the next older event, for whose attempt it is.
    public mutating func see(_ event: PaymentEvent, meaning classification: Classification, at: Timestamp) {
        guard at >= since, at <= lastAt, fits(event, meaning: classification, at: at),
            let key = key(of: event, at: at)
        else { return }
        owners[key] = .some(event.ownerKey())
    }

    /// Takes the next older event, and says whether it is one of the failures.
    public mutating func take(_ event: PaymentEvent, meaning classification: Classification, at: Timestamp) -> Bool {
        guard !isDone, at >= since, at <= lastAt, fits(event, meaning: classification, at: at) else { return false }
        if let key = key(of: event, at: at) {
            guard !known.contains(key) else { return false }
            if let maximumPerInstall, let owner = owners[key] ?? event.ownerKey() {
                guard ofInstall[owner, default: 0] < maximumPerInstall else { return false }
                ofInstall[owner, default: 0] += 1
            }
            known.insert(key)
        }
        count += 1
        return true
    }

    private func key(of event: PaymentEvent, at: Timestamp) -> UInt64? {
        switch subject {
        case .rule(let ground):
            event.countingKey(for: ground.rule.countsInWindow ? ground.rule.count : .attempts, at: at)
        case .probe: event.countingKey(for: .attempts, at: at)
        }
    }

    private func fits(_ event: PaymentEvent, meaning classification: Classification, at: Timestamp) -> Bool {
        switch subject {
        case .rule(let ground):
            let rule = ground.rule
            let verdict = rule.verdict(on: event, meaning: classification, at: at, otherRoute: ground.otherRoute)
            guard verdict == .counted else { return false }
            return zip(rule.groupDimensions, ground.group).allSatisfy { dimension, attribute in
                // What had no room for a group of its own is counted with others, whose values aren't known any more.
                attribute.value == RuleState.overflowValue
                    || dimension.value(in: event, meaning: classification) ?? "" == attribute.value
            }
        case .probe(let ground, let watch):
            guard let report = event.probeReport(meaning: classification, at: at), report.isFailure else {
                return false
            }
            return watch.isAbout(event, meaning: classification)
                && ground.machine.hears(
                    event,
                    meaning: classification,
                    ground.definition,
                    newest: ground.version,
                    at: at
                )
        }
    }
}
