/// The handle of one parked request. Equal only to itself; a value, cheap to copy.
public struct HTTPResponder: Sendable, Hashable {
    let mailbox: HTTPMailbox
    let slot: Int
    /// The request's number within its loop, never used twice.
    let ticket: UInt64

    /// Answers the request, from any thread. The first call counts; later ones, and those for a request that has
    /// ended otherwise, are ignored.
    public func complete(_ reply: HTTPReply) {
        mailbox.post([HTTPMailbox.Completion(slot: slot, ticket: ticket, reply: reply)])
    }

    /// Answers many requests with one wake-up per loop.
    public static func complete(_ completions: [(responder: HTTPResponder, reply: HTTPReply)]) {
        var groups: [(mailbox: HTTPMailbox, completions: [HTTPMailbox.Completion])] = []
        for (responder, reply) in completions {
            let completion = HTTPMailbox.Completion(slot: responder.slot, ticket: responder.ticket, reply: reply)
            // There are as many mailboxes as cores: a linear search is cheaper than hashing.
            if let index = groups.firstIndex(where: { $0.mailbox === responder.mailbox }) {
                groups[index].completions.append(completion)
            } else {
                groups.append((responder.mailbox, [completion]))
            }
        }
        for group in groups { group.mailbox.post(group.completions) }
    }

    /// Two responders are equal if they stand for the same request.
    public static func == (left: HTTPResponder, right: HTTPResponder) -> Bool {
        left.ticket == right.ticket && left.mailbox === right.mailbox
    }

    /// Hashes the identity of the request.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(mailbox))
        hasher.combine(ticket)
    }
}
