public import ShuntSchema

/// One line of the journal: everything that changes what Shunt believes comes in as one of these.
public struct Entry: Sendable {
    /// Its place in the journal; grows by one.
    public var seq: UInt64
    /// When it was received; never goes back from one entry to the next.
    public var at: Timestamp
    /// What came in.
    public var input: Input

    /// An entry.
    public init(seq: UInt64, at: Timestamp, input: Input) {
        self.seq = seq
        self.at = at
        self.input = input
    }
}

/// What can come in.
public enum Input: Equatable, Sendable {
    /// A report about a payment. Indirect, because an event is some 700 bytes that entries would carry around.
    indirect case event(PaymentEvent)
    /// The journal's first entry: names the epoch that its versions belong to.
    case founded(epoch: String)
    /// Rules and switches that are in force from here on.
    case configured(RuleSet)
    /// A person moves a switch.
    case command(SwitchCommand)
    /// A person acknowledges an alert, or silences some.
    case alertCommand(AlertCommand)
    /// A person says how an attempt ended.
    case settle(SettleCommand)
    /// The daemon has started again and takes up where it was. Worth an entry only where something waits for a time.
    case started
    /// Time has passed and something was due. An early one changes nothing, and needn't be kept.
    case tick
}

/// Something that the fold wants done.
public struct Effect: Equatable, Sendable {
    /// Identifies an effect for ever: a replay makes the same effects with the same identities.
    public struct ID: Hashable, Sendable {
        /// The entry that caused it.
        public var seq: UInt64
        /// Its number within that entry's effects.
        public var index: Int
    }

    /// What is wanted.
    public enum Kind: Equatable, Sendable {
        /// Publish that a switch moved.
        case switchMoved(SwitchTransition)
        /// Tell of an alert.
        case alertChanged(AlertChange)
    }

    /// Its identity.
    public var id: ID
    /// What is wanted.
    public var kind: Kind
}
