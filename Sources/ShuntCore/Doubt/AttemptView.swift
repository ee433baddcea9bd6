public import ShuntSchema

/// What may be done about an attempt now.
public enum MoneyAdvice: String, CaseIterable, Hashable, Sendable {
    /// It runs, or the provider will say: wait.
    case wait
    /// Nothing moved: the order may be tried again.
    case tryAgain
    /// Ask the provider by the original reference; charge nothing until it has answered.
    case queryFirst
    /// The payer paid though they were told otherwise: fulfil the order, or take the charge back.
    case fulfilOrReverse
    /// Money moved that nobody waited for: take it back.
    case reverse
    /// It is over; nothing is to be done.
    case nothing
}

/// What is known of one attempt.
public struct AttemptView: Equatable, Sendable {
    /// Its `attemptId`; where its events have none, or it ended, the name that was asked for, or the order's.
    public var id: String
    /// Where it was made; `_other` where there were too many environments.
    public var environment: String
    /// Its order, as long as it runs or is in doubt.
    public var orderRef: String?
    /// Where its money stands.
    public var phase: MoneyPhase
    /// Why.
    public var reason: MoneyReason
    /// The stage of the event that led there.
    public var stage: Stage
    /// The error that led into doubt.
    public var error: ErrorKey?
    /// The first amount that was reported.
    public var amount: Amount?
    /// When its first event came.
    public var firstAt: Timestamp
    /// When its last event came.
    public var lastAt: Timestamp
    /// Since when it is in doubt; nil where it isn't.
    public var inDoubtSince: Timestamp?
    /// The numbers of its entries in the journal, in order: the first seven and the last one at least.
    public var seqs: [UInt64]
    /// How many there are.
    public var eventCount: Int
    /// What its events say together.
    public var findings: [Finding]
    /// What may be done.
    public var advice: MoneyAdvice
    /// Whether the payer may be sent to the web route with this order.
    public var webAllowed: Bool
}

/// What is in doubt in one environment.
public struct DoubtSummary: Equatable, Sendable {
    /// The environment; `_other` stands for all those beyond the limit.
    public var environment: String
    /// How many attempts are in doubt.
    public var count: Int
    /// How many of them there was no room to list.
    public var unlisted: Int
    /// Since when the oldest is; nil where none is listed.
    public var oldestSince: Timestamp?
    /// The money in doubt, in the order of currencies.
    public var totals: [Total]

    /// The money of one currency.
    public struct Total: Equatable, Sendable {
        /// The currency's ISO 4217 code.
        public var currency: String
        /// The sum, in minor units.
        public var minor: Int128
        /// Of so many attempts.
        public var count: Int
    }
}

extension AttemptLedger {
    func view(_ place: Int, name: String? = nil) -> AttemptView {
        let record = records[place]
        let text = record.words >= 0 ? words[Int(record.words)] : AttemptWords()
        let isInDoubt = record.phase.isInDoubt
        let others = places(ofOrder: record.order).filter { $0 != place }
        let holdsOrder = others.contains { records[$0].phase.isInDoubt || records[$0].phase.isHolding }
        return AttemptView(
            id: text.attempt ?? name ?? text.order ?? "",
            environment: books[record.book].environment,
            orderRef: text.order,
            phase: record.phase,
            reason: record.reason,
            stage: record.stage,
            error: isInDoubt && !text.code.isEmpty ? ErrorKey(domain: text.domain, code: text.code) : nil,
            amount: record.amount?.amount,
            firstAt: record.firstAt,
            lastAt: record.lastAt,
            inDoubtSince: isInDoubt ? record.since : nil,
            seqs: record.seqs.list,
            eventCount: record.seqs.count,
            findings: record.findings.list,
            advice: holdsOrder && record.phase.advice == .tryAgain ? .nothing : record.phase.advice,
            webAllowed: record.allowsWebRoute && !holdsOrder
        )
    }

    func summary(ofBook number: Int) -> DoubtSummary {
        let book = books[number]
        return DoubtSummary(
            environment: book.environment,
            count: book.listed.count + book.unlisted,
            unlisted: book.unlisted,
            oldestSince: book.listed.oldest < 0 ? nil : records[Int(book.listed.oldest)].since,
            totals: book.totals.map {
                DoubtSummary.Total(currency: SmallAmount.text($0.currency), minor: $0.minor, count: $0.count)
            }
        )
    }
}

extension AttemptRecord {
    /// Whether the payer may be sent to another route, as far as this attempt goes.
    fileprivate var allowsWebRoute: Bool {
        switch phase {
        case .open: !isTokenSent
        // A refusal for risk mustn't be routed round.
        case .notMoved: !isRisk
        case .notPaid, .reversed, .refunded: true
        case .accepted, .mayHaveMoved, .moved, .overpaid, .paid: false
        }
    }
}

extension MoneyPhase {
    /// Whether another attempt at the same order would come on top.
    fileprivate var isHolding: Bool { self == .paid || self == .accepted }

    /// What may be done.
    public var advice: MoneyAdvice {
        switch self {
        case .open, .accepted: .wait
        case .notMoved, .notPaid: .tryAgain
        case .mayHaveMoved: .queryFirst
        case .moved: .fulfilOrReverse
        case .overpaid: .reverse
        case .paid, .reversed, .refunded: .nothing
        }
    }
}

// MARK: - Reading

extension State {
    /// The attempt of that `attemptId`; where none has it, the last one of the order of that name. Nil where neither is
    /// remembered.
    public func attempt(_ name: String, environment: String) -> AttemptView? {
        ledger.place(of: name, environment: environment).map { ledger.view($0, name: name) }
    }

    /// How the attempt stands that the command just folded in is about, or why that changed nothing.
    public func settlement(of command: SettleCommand) -> Result<AttemptView, SettleRefusal> {
        if let lastSettleRefusal { return .failure(lastSettleRefusal) }
        let view = attempt(command.attempt, environment: command.environment)
        return view.map { .success($0) } ?? .failure(.unknownAttempt)
    }

    /// The attempts in doubt of an environment, the oldest first: at most so many, after the first `skipping`.
    public func attemptsInDoubt(environment: String, skipping: Int = 0, limit: Int = .max) -> [AttemptView] {
        guard let number = ledger.number(ofBook: environment) else { return [] }
        let places = ledger.books[number].listed.places(ledger.links)
        return places.dropFirst(max(0, skipping)).prefix(max(0, limit)).map { ledger.view($0) }
    }

    /// What is in doubt, environment by environment; only those with anything in doubt.
    public var doubts: [DoubtSummary] {
        ledger.books.indices.map { ledger.summary(ofBook: $0) }.filter { $0.count > 0 }.sorted {
            $0.environment < $1.environment
        }
    }

    /// How many attempts made room for others while nobody knew how they ended.
    public var forgottenAttempts: Int { ledger.forgotten }

    /// How often each finding was made.
    public var findingCounts: [(finding: Finding, count: Int)] {
        Array(zip(Finding.allCases, ledger.findings)).map { ($0.0, $0.1) }
    }

    /// How many attempts are remembered, in doubt or not.
    public var attemptCount: Int { ledger.remembered.count + ledger.books.reduce(0) { $0 + $1.listed.count } }
}
