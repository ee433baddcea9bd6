/// The handle of one parked request, or of one stream. Equal only to itself; a value, cheap to copy.
public struct HTTPResponder: Sendable, Hashable {
    let mailbox: HTTPMailbox
    let slot: Int
    /// The request's number within its loop, never used twice.
    let ticket: UInt64

    /// Answers the request, from any thread. The first call counts; later ones, and those for a request that has
    /// ended otherwise, are ignored.
    public func complete(_ reply: HTTPReply) {
        mailbox.post([HTTPMailbox.Completion(slot: slot, ticket: ticket, reply: reply, notBefore: 0)])
    }

    /// Answers many requests with one wake-up per loop.
    public static func complete(_ completions: [(responder: HTTPResponder, reply: HTTPReply)]) {
        deliver(completions.map { HTTPDelivery($0.responder, .reply($0.reply)) })
    }

    /// Brings replies to many parked requests and chunks to many streams, with one wake-up per loop. Those for what has
    /// ended, and replies after the first, are ignored; so is a chunk for a parked request, or a reply for a stream.
    public static func deliver(_ deliveries: [HTTPDelivery]) {
        var groups: [Group] = []
        for delivery in deliveries {
            let mailbox = delivery.responder.mailbox
            // There are as many mailboxes as cores: a linear search is cheaper than hashing.
            if let index = groups.firstIndex(where: { $0.mailbox === mailbox }) {
                groups[index].add(delivery)
            } else {
                var group = Group(mailbox: mailbox)
                group.add(delivery)
                groups.append(group)
            }
        }
        for group in groups { group.mailbox.post(group.completions, pushes: group.pushes) }
    }

    /// What is for one loop.
    private struct Group {
        let mailbox: HTTPMailbox
        var completions: [HTTPMailbox.Completion] = []
        var pushes: [(slot: Int, push: HTTPMailbox.Push)] = []

        mutating func add(_ delivery: HTTPDelivery) {
            let responder = delivery.responder
            let notBefore = delivery.notBeforeNanoseconds
            switch delivery.content {
            case .reply(let reply):
                completions.append(
                    HTTPMailbox.Completion(
                        slot: responder.slot,
                        ticket: responder.ticket,
                        reply: reply,
                        notBefore: notBefore
                    )
                )
            case .chunk(let chunk):
                let push = HTTPMailbox.Push(ticket: responder.ticket, chunk: chunk, notBefore: notBefore)
                pushes.append((responder.slot, push))
            }
        }
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
