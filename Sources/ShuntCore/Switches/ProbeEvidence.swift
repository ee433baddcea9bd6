internal import ShuntSchema

/// What is known of those who try the normal way since a probe or a step began.
public struct ProbeEvidence: Equatable, Sendable {
    /// More attempts that went well are not told apart; far fewer decide.
    static let maximumAttempts = 4_096
    /// More failed attempts are not told apart.
    static let maximumFailures = 1_024
    /// How many attempts of one install count, so that no single device restores a switch or keeps it degraded.
    static let maximumPerInstall = 3

    private var good: [UInt64: UInt64] = [:]
    private var bad: [UInt64: UInt64] = [:]
    private var goodOf: [UInt64: Int] = [:]
    private var badOf: [UInt64: Int] = [:]

    init() {}

    /// How many attempts have ended, well or badly.
    public var attempts: Int { good.count + bad.count }
    /// How many of them failed in a way that counts for a switch.
    public var failures: Int { bad.count }
    /// From how many installs the failures come.
    public var failedInstalls: Int { badOf.count }

    /// Notes how an attempt ended. One that fails after it went well has failed.
    mutating func record(attempt: UInt64, install: UInt64, isFailure: Bool) {
        guard bad[attempt] == nil else { return }
        if isFailure {
            if let owner = good.removeValue(forKey: attempt) { Self.lower(&goodOf, owner) }
            guard bad.count < Self.maximumFailures, badOf[install, default: 0] < Self.maximumPerInstall else { return }
            bad[attempt] = install
            badOf[install, default: 0] += 1
        } else {
            guard good[attempt] == nil, good.count < Self.maximumAttempts,
                goodOf[install, default: 0] < Self.maximumPerInstall
            else { return }
            good[attempt] = install
            goodOf[install, default: 0] += 1
        }
    }

    /// What it says.
    ///
    /// Good comes first: of a thousand attempts five may fail although all is well.
    ///
    /// - Parameter goodBelowPercent: the failures' share must surely be below it, by the upper end of Wilson's
    ///   one-sided 95 % interval.
    func verdict(_ policy: RecoveryPolicy, goodBelowPercent: Int) -> ProbeVerdict {
        if attempts >= policy.probeAttempts, failureShareAtMost * 100 < Double(goodBelowPercent) { return .good }
        if failures >= policy.probeFailures, failedInstalls >= policy.probeInstalls { return .bad }
        return .unknown
    }

    /// The upper end of Wilson's one-sided 95 % interval of the failures' share, from 0 to 1.
    ///
    /// Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927; 1.6449 is the
    /// normal distribution's 95 % quantile.
    var failureShareAtMost: Double {
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
                writer.write(attempt.value)
            }
        }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        for isFailure in [false, true] {
            let attempts = try reader.readArray { (reader) throws(StateBytesError) in
                (attempt: try reader.readUInt64(), install: try reader.readUInt64())
            }
            for (attempt, install) in attempts { record(attempt: attempt, install: install, isFailure: isFailure) }
        }
    }
}
