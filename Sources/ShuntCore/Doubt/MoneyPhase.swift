/// Where the money of one attempt to pay stands, as far as its events tell.
public enum MoneyPhase: String, CaseIterable, Hashable, Sendable {
    /// It runs; nothing says yet how it ended. Can go to any other.
    case open
    /// The provider took the charge on, and says later whether it was paid. Can go to any but `open` and `notMoved`.
    case accepted
    /// It failed, and no money moved. Can go to any but `open`: what comes late may still prove it wrong.
    case notMoved
    /// Nobody knows. Can go to `moved`, `overpaid` and what is settled; never back, since a repeat may be declined just
    /// because the first went through.
    case mayHaveMoved
    /// It failed for the payer, and money moved. Can go to `overpaid` and what is settled.
    case moved
    /// Money moved that nobody waited for: an order was paid twice, or after it was given up. Can go to what is settled,
    /// but for `paid` by an event: a success repeated doesn't make it right.
    case overpaid
    /// The payer paid. Can go to `overpaid`, `mayHaveMoved` if it is unclear whether the money went back, `reversed`,
    /// `refunded`, `notPaid` by a person.
    case paid
    /// Certainly not: a query or a person said so. Can go to `overpaid`, `reversed`, `refunded`, `paid` by a person.
    case notPaid
    /// The charge was taken back before it was booked. Can go to `overpaid`; to what else is settled by a person.
    case reversed
    /// The money was sent back. Can go to `overpaid`; to what else is settled by a person.
    case refunded

    /// Whether money may be where it doesn't belong, so that somebody must find out.
    public var isInDoubt: Bool {
        switch self {
        case .mayHaveMoved, .moved, .overpaid: true
        case .open, .accepted, .notMoved, .paid, .notPaid, .reversed, .refunded: false
        }
    }

    /// Whether an answer is still to come of itself.
    var isRunning: Bool { self == .open || self == .accepted }
}

/// What can happen to an attempt.
public enum MoneyInput: String, CaseIterable, Hashable, Sendable {
    /// It was begun.
    case attempted
    /// A step went well, or one failed that says nothing about the charge.
    case proceeded
    /// The provider took the charge on: UnionPay's synchronous 00.
    case accepted
    /// It failed before money moved.
    case refused
    /// It failed so that money may have moved.
    case unclear
    /// It failed, and money moved.
    case charged
    /// It succeeded.
    case paid
    /// It succeeded, and so had another attempt of its order, or the same one as another payment.
    case paidAgain
    /// The provider's answer to a query, or a trusted back end, says that nothing was paid.
    case unpaid
    /// The charge was taken back.
    case reversed
    /// The money was sent back.
    case refunded
    /// It is unclear whether the money went back, or was captured.
    case undoUnclear
    /// A person says that it was paid.
    case declaredPaid
    /// A person says that it wasn't.
    case declaredNotPaid
    /// A person says that the charge was taken back.
    case declaredReversed
    /// A person says that the money was sent back.
    case declaredRefunded
    /// Nobody said for longer than the sheet's patience how it ended, and the token hadn't been sent.
    case patienceEnded
    /// The same, and the token had been sent.
    case patienceEndedAfterToken
    /// The provider took the charge on, and no notification came in time.
    case notificationMissed
}

/// Why an attempt stands where it does.
public enum MoneyReason: String, CaseIterable, Hashable, Sendable {
    /// It was begun, or went a step on.
    case begun
    /// Accepted isn't paid: the notification or a query decides.
    case accepted
    /// It failed, and nothing had moved.
    case refused
    /// A failure after which money may have moved.
    case unclear
    /// A failure that says that money moved.
    case charged
    /// It succeeded.
    case paid
    /// A second success of one order: possibly a double charge.
    case paidTwice
    /// A success of what had been settled as not paid.
    case paidAfterAll
    /// The provider's or the back end's own answer.
    case answered
    /// The money went back.
    case undone
    /// Whether it went back, or was captured, is unclear.
    case undoUnclear
    /// A person decided.
    case person
    /// Nobody said how it ended.
    case noOutcome
    /// The notification didn't come in time: ask.
    case noNotification

    /// Nothing new: the phase stays. Its earlier reason stands.
    case nothingNew
    /// A refusal doesn't lift a doubt: it may have been refused because the first went through.
    case doubtStands
    /// A failure after the end, such as one that was handled late: it changes nothing.
    case lateFailure
    /// The same end once more.
    case repeated
    /// What was waited for has come already.
    case outOfTurn
}

/// What an input makes of a phase.
public struct MoneyStep: Hashable, Sendable {
    /// Where the attempt stands after it.
    public var phase: MoneyPhase
    /// Why.
    public var reason: MoneyReason

    /// A step.
    public init(_ phase: MoneyPhase, _ reason: MoneyReason) {
        self.phase = phase
        self.reason = reason
    }
}

extension MoneyPhase {
    /// The whole transition table.
    public func step(_ input: MoneyInput) -> MoneyStep {
        if let step = Self.byPerson(input) { return step.phase == self ? MoneyStep(self, .repeated) : step }
        return switch self {
        case .open, .accepted: whileRunning(input)
        case .notMoved: afterRefusal(input)
        case .mayHaveMoved, .moved, .overpaid: inDoubt(input)
        case .paid, .notPaid, .reversed, .refunded: afterEnd(input)
        }
    }

    /// A person's word holds wherever the attempt stands: they have looked.
    private static func byPerson(_ input: MoneyInput) -> MoneyStep? {
        switch input {
        case .declaredPaid: MoneyStep(.paid, .person)
        case .declaredNotPaid: MoneyStep(.notPaid, .person)
        case .declaredReversed: MoneyStep(.reversed, .person)
        case .declaredRefunded: MoneyStep(.refunded, .person)
        default: nil
        }
    }

    private func whileRunning(_ input: MoneyInput) -> MoneyStep {
        switch input {
        case .attempted, .proceeded: MoneyStep(self, self == .open ? .begun : .nothingNew)
        case .accepted: MoneyStep(.accepted, self == .open ? .accepted : .nothingNew)
        // What the provider took on isn't off because somebody else says that it was declined.
        case .refused: self == .open ? MoneyStep(.notMoved, .refused) : MoneyStep(.accepted, .doubtStands)
        case .patienceEnded: self == .open ? MoneyStep(.notMoved, .noOutcome) : MoneyStep(self, .outOfTurn)
        case .patienceEndedAfterToken:
            self == .open ? MoneyStep(.mayHaveMoved, .noOutcome) : MoneyStep(self, .outOfTurn)
        case .notificationMissed:
            self == .accepted ? MoneyStep(.mayHaveMoved, .noNotification) : MoneyStep(self, .outOfTurn)
        case .unclear: MoneyStep(.mayHaveMoved, .unclear)
        case .undoUnclear: MoneyStep(.mayHaveMoved, .undoUnclear)
        default: Self.told(by: input) ?? MoneyStep(self, .nothingNew)
        }
    }

    private func afterRefusal(_ input: MoneyInput) -> MoneyStep {
        switch input {
        // One that comes late must not open the attempt again, or it would be waited for in vain.
        case .attempted, .proceeded, .undoUnclear: MoneyStep(self, .nothingNew)
        case .refused: MoneyStep(self, .refused)
        case .accepted: MoneyStep(.accepted, .accepted)
        case .unclear: MoneyStep(.mayHaveMoved, .unclear)
        case .patienceEnded, .patienceEndedAfterToken, .notificationMissed: MoneyStep(self, .outOfTurn)
        default: Self.told(by: input) ?? MoneyStep(self, .nothingNew)
        }
    }

    private func inDoubt(_ input: MoneyInput) -> MoneyStep {
        switch input {
        case .attempted, .proceeded: MoneyStep(self, .nothingNew)
        case .accepted, .refused, .unclear, .undoUnclear: MoneyStep(self, .doubtStands)
        case .patienceEnded, .patienceEndedAfterToken, .notificationMissed: MoneyStep(self, .outOfTurn)
        case .charged: self == .mayHaveMoved ? MoneyStep(.moved, .charged) : MoneyStep(self, .nothingNew)
        case .paid: self == .overpaid ? MoneyStep(self, .doubtStands) : MoneyStep(.paid, .paid)
        // Where money certainly moved, an answer that nothing was paid contradicts: a person must look.
        case .unpaid: self == .mayHaveMoved ? MoneyStep(.notPaid, .answered) : MoneyStep(self, .doubtStands)
        default: Self.told(by: input) ?? MoneyStep(self, .nothingNew)
        }
    }

    private func afterEnd(_ input: MoneyInput) -> MoneyStep {
        switch input {
        case .attempted, .proceeded, .accepted: MoneyStep(self, .nothingNew)
        case .refused, .unclear: MoneyStep(self, .lateFailure)
        case .patienceEnded, .patienceEndedAfterToken, .notificationMissed: MoneyStep(self, .outOfTurn)
        case .paidAgain: MoneyStep(.overpaid, .paidTwice)
        case .paid:
            switch self {
            case .notPaid: MoneyStep(.overpaid, .paidAfterAll)
            case .paid: MoneyStep(self, .repeated)
            default: MoneyStep(self, .nothingNew)
            }
        case .charged: self == .notPaid ? MoneyStep(.overpaid, .paidAfterAll) : MoneyStep(self, .nothingNew)
        case .unpaid: MoneyStep(self, self == .notPaid ? .repeated : .lateFailure)
        case .undoUnclear: self == .paid ? MoneyStep(.mayHaveMoved, .undoUnclear) : MoneyStep(self, .nothingNew)
        case .reversed: hasMoney ? MoneyStep(.reversed, .undone) : MoneyStep(self, .repeated)
        case .refunded: hasMoney ? MoneyStep(.refunded, .undone) : MoneyStep(self, .repeated)
        case .declaredPaid, .declaredNotPaid, .declaredReversed, .declaredRefunded: MoneyStep(self, .nothingNew)
        }
    }

    /// Whether something can be sent back, as far as is known. What was settled as not paid may have been after all.
    private var hasMoney: Bool { self != .reversed && self != .refunded }

    /// What an event tells that leaves no choice.
    private static func told(by input: MoneyInput) -> MoneyStep? {
        switch input {
        case .charged: MoneyStep(.moved, .charged)
        case .paid: MoneyStep(.paid, .paid)
        case .paidAgain: MoneyStep(.overpaid, .paidTwice)
        case .unpaid: MoneyStep(.notPaid, .answered)
        case .reversed: MoneyStep(.reversed, .undone)
        case .refunded: MoneyStep(.refunded, .undone)
        default: nil
        }
    }
}
