internal import ShuntSchema

/// Something that no single report says, and that the events of an attempt or order say together.
///
/// Rules count findings as failures of the domain `shunt`, if they ask for that domain; no other rule sees them, and
/// they never count towards a trip.
public enum Finding: String, CaseIterable, Hashable, Sendable {
    /// Amounts of one order that differ by exactly 10, 100 or 1,000: a currency's decimals were mistaken.
    case amountMinorUnit = "amount.minorUnit"
    /// An order was paid a second time.
    case paidTwice
    /// What was settled as not paid was paid after all.
    case paidAfterAll
    /// An attempt was begun, and nobody said how it ended.
    case noOutcome

    /// The domain of findings in rules.
    public static let domain = "shunt"

    /// What it means, as a failure.
    var meaning: Classification {
        let isConfiguration = self == .amountMinorUnit
        return Classification(
            failureClass: isConfiguration ? .merchantConfig : self == .noOutcome ? .clientApp : .inDoubt,
            retry: isConfiguration ? .afterFix : .queryFirst,
            switchWeight: .none,
            money: self == .paidTwice || self == .paidAfterAll ? .moved : .mayHaveMoved,
            reason: .finding
        )
    }

    /// The finding as an event that rules can count: as the one that led to it, but for its error.
    func event(like event: PaymentEvent) -> PaymentEvent {
        var finding = event
        finding.outcome = .failed
        finding.error = ErrorReport(domain: Self.domain, code: rawValue)
        // It was found now, whenever its event happened.
        finding.occurredAt = nil
        return finding
    }
}

/// The findings of one attempt.
struct FindingSet: Equatable, Sendable {
    private(set) var bits: UInt8

    init(bits: UInt8 = 0) {
        self.bits = bits
    }

    /// Whether the bits are all of findings that there are.
    var isValid: Bool { Int(bits) < 1 << Finding.allCases.count }

    var list: [Finding] { Finding.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element) }

    /// Adds one; false if it was in.
    mutating func insert(_ finding: Finding) -> Bool {
        let bit: UInt8
        switch finding {
        case .amountMinorUnit: bit = 1
        case .paidTwice: bit = 2
        case .paidAfterAll: bit = 4
        case .noOutcome: bit = 8
        }
        guard bits & bit == 0 else { return false }
        bits |= bit
        return true
    }
}

extension Amount {
    /// Whether two amounts differ by exactly 10, 100 or 1,000: one of them was written with another number of decimals.
    func isShifted(from other: Amount) -> Bool {
        guard currency == other.currency, minor != 0, other.minor != 0, minor != other.minor else { return false }
        for factor in [10, 100, 1000] as [Int64] {
            let up = minor.multipliedReportingOverflow(by: factor)
            if !up.overflow, up.partialValue == other.minor { return true }
            let down = other.minor.multipliedReportingOverflow(by: factor)
            if !down.overflow, down.partialValue == minor { return true }
        }
        return false
    }
}
