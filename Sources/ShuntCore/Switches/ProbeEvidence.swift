internal import ShuntSchema

/// What is known of those who try the normal way since a probe or a step began.
public struct ProbeEvidence: Equatable, Sendable {
    /// More attempts that went well are not told apart; far fewer decide.
    static let maximumAttempts = 4_096
    /// More failed attempts are not told apart.
    static let maximumFailures = 1_024
    /// How many attempts of one install count, so that no single device restores a switch or keeps it degraded.
    static let maximumPerInstall = 3

    /// How an attempt ended.
    private struct Result: Equatable {
        var install: UInt64
        /// Whether a trusted reporter said so.
        var isTrusted: Bool
    }

    private var good: [UInt64: Result] = [:]
    private var bad: [UInt64: Result] = [:]
    private var goodOf: [UInt64: Int] = [:]
    private var badOf: [UInt64: Int] = [:]
    private var trustedGood = 0
    private var trustedBad = 0
    private var trustedBadOf: [UInt64: Int] = [:]

    init() {}

    /// How many attempts have ended, well or badly.
    public var attempts: Int { good.count + bad.count }
    /// How many of them failed in a way that counts for a switch.
    public var failures: Int { bad.count }
    /// From how many installs the failures come.
    public var failedInstalls: Int { badOf.count }
    /// From how many installs any of them comes.
    public var installs: Int { badOf.keys.count { goodOf[$0] == nil } + goodOf.count }
    /// How many of the attempts trusted reporters told of.
    public var trustedAttempts: Int { trustedGood + trustedBad }
    /// How many of the failures trusted reporters told of.
    public var trustedFailures: Int { trustedBad }

    /// Notes how an attempt ended. One that fails after it went well has failed; but what a trusted reporter saw go well
    /// isn't undone by anybody else.
    mutating func record(attempt: UInt64, install: UInt64, isFailure: Bool, isTrusted: Bool = true) {
        if let known = bad[attempt] {
            guard isFailure, isTrusted, !known.isTrusted else { return }
            bad[attempt]?.isTrusted = true
            trustedBad += 1
            trustedBadOf[known.install, default: 0] += 1
        } else if isFailure {
            if let known = good[attempt] {
                guard isTrusted || !known.isTrusted else { return }
                good[attempt] = nil
                Self.lower(&goodOf, known.install)
                if known.isTrusted { trustedGood -= 1 }
            }
            guard bad.count < Self.maximumFailures, badOf[install, default: 0] < Self.maximumPerInstall else { return }
            bad[attempt] = Result(install: install, isTrusted: isTrusted)
            badOf[install, default: 0] += 1
            guard isTrusted else { return }
            trustedBad += 1
            trustedBadOf[install, default: 0] += 1
        } else if let known = good[attempt] {
            guard isTrusted, !known.isTrusted else { return }
            good[attempt]?.isTrusted = true
            trustedGood += 1
        } else {
            guard good.count < Self.maximumAttempts, goodOf[install, default: 0] < Self.maximumPerInstall else {
                return
            }
            good[attempt] = Result(install: install, isTrusted: isTrusted)
            goodOf[install, default: 0] += 1
            if isTrusted { trustedGood += 1 }
        }
    }

    /// What it says.
    ///
    /// Good comes before bad: of a thousand attempts five may fail although all is well. What comes through tokens that
    /// are inside apps can be made up by anybody: it supplies at most half of what is asked for, or it must come from
    /// twice as many installs; and however much of it says that all is well, it doesn't outvote trusted reporters to
    /// whom it is bad.
    ///
    /// - Parameter goodBelowPercent: the failures' share must surely be below it, by the upper end of Wilson's
    ///   one-sided 95 % interval.
    func verdict(_ policy: RecoveryPolicy, goodBelowPercent: Int) -> ProbeVerdict {
        if isBadToTrusted(policy, goodBelowPercent: goodBelowPercent) { return .bad }
        if attempts >= policy.probeAttempts, failureShareAtMost * 100 < Double(goodBelowPercent),
            trustedAttempts * 2 >= policy.probeAttempts || installs >= Self.publicInstalls(policy)
        {
            return .good
        }
        if failures >= policy.probeFailures, failedInstalls >= policy.probeInstalls,
            trustedBad * 2 >= policy.probeFailures || failedInstalls >= 2 * policy.probeInstalls
        {
            return .bad
        }
        return .unknown
    }

    /// Whether what trusted reporters told is bad by itself.
    private func isBadToTrusted(_ policy: RecoveryPolicy, goodBelowPercent: Int) -> Bool {
        guard trustedBad >= policy.probeFailures, trustedBadOf.count >= policy.probeInstalls else { return false }
        let isGood =
            trustedAttempts >= policy.probeAttempts
            && Self.shareAtMost(trustedBad, of: trustedAttempts) * 100 < Double(goodBelowPercent)
        return !isGood
    }

    /// From how many installs a good result must come where half of it isn't trusted: twice the fewest that can make up
    /// the attempts that are asked for.
    static func publicInstalls(_ policy: RecoveryPolicy) -> Int {
        2 * ((policy.probeAttempts + maximumPerInstall - 1) / maximumPerInstall)
    }

    /// All that a verdict is made of, with its numbers.
    func conditions(_ policy: RecoveryPolicy, goodBelowPercent: Int) -> [EvidenceCondition] {
        let share = Int((min(1, failureShareAtMost) * 10_000).rounded(.up))
        let isSmall = failureShareAtMost * 100 < Double(goodBelowPercent)
        return [
            EvidenceCondition(.attempts, attempts, reaches: policy.probeAttempts),
            EvidenceCondition(
                .failureShareAtMost,
                isSmall ? .holds : .fails,
                value: share,
                limit: goodBelowPercent * 100
            ),
            EvidenceCondition(.trusted, trustedAttempts, reaches: (policy.probeAttempts + 1) / 2),
            EvidenceCondition(.publicInstalls, installs, reaches: Self.publicInstalls(policy)),
            EvidenceCondition(.failures, failures, reaches: policy.probeFailures),
            EvidenceCondition(
                .failedInstalls,
                failedInstalls,
                reaches: trustedBad * 2 >= policy.probeFailures ? policy.probeInstalls : 2 * policy.probeInstalls
            ),
        ]
    }

    /// The upper end of Wilson's one-sided 95 % interval of the failures' share, from 0 to 1.
    ///
    /// Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927; 1.6449 is the
    /// normal distribution's 95 % quantile.
    var failureShareAtMost: Double { Self.shareAtMost(failures, of: attempts) }

    private static func shareAtMost(_ failures: Int, of attempts: Int) -> Double {
        guard attempts > 0 else { return 1 }
        let quantile = 1.644_853_626_951_472_2
        let count = Double(attempts)
        let share = Double(failures) / count
        let square = quantile * quantile / count
        let spread = quantile * (share * (1 - share) / count + square / (4 * count)).squareRoot()
        return (share + square / 2 + spread) / (1 + square)
    }

    private static func lower(_ counts: inout [UInt64: Int], _ key: UInt64) {
        guard let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }
}

/// What the evidence of a probe says.
public enum ProbeVerdict: String, CaseIterable, Sendable {
    /// The normal way works.
    case good
    /// It doesn't.
    case bad
    /// Nobody can tell yet.
    case unknown
}

extension ProbeEvidence: StateCodable {
    func encode(to writer: inout StateWriter) {
        for attempts in [good, bad] {
            writer.write(attempts.sorted { $0.key < $1.key }) { writer, attempt in
                writer.write(attempt.key)
                writer.write(attempt.value.install)
                writer.write(attempt.value.isTrusted)
            }
        }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        for isFailure in [false, true] {
            let attempts = try reader.readArray { (reader) throws(StateBytesError) in
                (attempt: try reader.readUInt64(), install: try reader.readUInt64(), isTrusted: try reader.readBool())
            }
            for (attempt, install, isTrusted) in attempts {
                record(attempt: attempt, install: install, isFailure: isFailure, isTrusted: isTrusted)
            }
        }
    }
}
