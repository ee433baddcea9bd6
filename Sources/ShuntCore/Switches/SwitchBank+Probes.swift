internal import ShuntSchema

/// An event that may say how those do who try the normal way.
struct ProbeReport {
    var attempt: UInt64
    var install: UInt64
    var isFailure: Bool
    var isTrusted: Bool
}

extension PaymentEvent {
    /// What an event says of an attempt that ended; nil where it says nothing that a probe may be judged by: it names no
    /// install, isn't the end of an attempt, or failed in a way that never counts for a switch. A mere beginning proves
    /// nothing, since an attempt that hangs has one too.
    func probeReport(meaning classification: Classification, at: Timestamp) -> ProbeReport? {
        guard counts == nil, let install = ownerKey(), let attempt = countingKey(for: .attempts, at: at) else {
            return nil
        }
        let isFailure: Bool
        switch outcome {
        case .succeeded: isFailure = false
        case .failed where classification.switchWeight != .none: isFailure = true
        case .failed, .attempted, .cancelled: return nil
        }
        return ProbeReport(attempt: attempt, install: install, isFailure: isFailure, isTrusted: trust == .trusted)
    }
}

extension SwitchMachine {
    /// Whether an event was made by somebody who tries the normal way, in the machine's slice, under its present
    /// version. One that doesn't say under which may have begun before.
    func hears(
        _ event: PaymentEvent,
        meaning classification: Classification,
        _ definition: SwitchDefinition,
        newest: UInt64,
        at: Timestamp
    ) -> Bool {
        guard let percent = definition.recovery.triedPercent(in: state), let installId = event.installId,
            let seen = event.switchVersion, (stateVersion...max(stateVersion, newest)).contains(seen),
            event.environment == scope.environment, event.route != definition.degradedVariant,
            !event.isLate(at: at, windowMs: definition.recovery.probeDeadlineMs)
        else { return false }
        let isInScope = scope.attributes.allSatisfy { attribute in
            Dimension(rawValue: attribute.name)?.value(in: event, meaning: classification) == attribute.value
        }
        return isInScope && !Cohort.contains(installId: installId, salt: salt, percent: Int64(100 - percent))
    }
}

// MARK: - In words

extension SwitchMachine {
    /// Why it moved by itself: what was tried, how it went, and what comes next.
    func recoverySummary(
        _ input: SwitchInput,
        to next: SwitchState,
        _ definition: SwitchDefinition
    ) -> String {
        let policy = definition.recovery
        let failed = "\(evidence?.failures ?? 0) of \(evidence?.attempts ?? 0) attempts"
        let tried = policy.triedPercent(in: state).map { "\($0) % of installs tried \(definition.normalVariant)" } ?? ""
        let trying = policy.triedPercent(in: next).map { "\($0) % of installs try \(definition.normalVariant)" }
        switch input {
        case .coolDownEnds: return trying ?? "the cool-down ended"
        case .probeIsGood: return "\(failed) failed while \(tried): " + (trying ?? "all is normal again")
        case .probeIsBad: return "\(failed) failed while \(tried): degraded again"
        case .probeIsUnknown:
            let text = "recovery can't be verified, \(evidence?.attempts ?? 0) attempts ended while \(tried)"
            guard next.phase == .degraded else { return text + ": " + (trying ?? "taken for good") }
            return unknowns + 1 >= policy.askAfter ? text + ": a person has to decide" : text + ": degraded again"
        case .ruleTrips, .operatorTrips, .operatorRestores, .disarmed: return input.rawValue
        }
    }
}
