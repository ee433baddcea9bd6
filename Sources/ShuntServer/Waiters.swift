internal import ShuntNative

/// The long-polls and streams that wait for other versions than those that their clients have.
struct Waiters {
    /// What waits.
    enum Kind {
        /// Is answered once, with the document.
        case poll
        /// Is told of every version, and fetches the document.
        case stream
    }

    private struct Poll {
        var environment: String
        var key: String?
        var version: UInt64
    }

    private struct Stream {
        var environment: String
        var version: UInt64
    }

    private var polls: [HTTPResponder: Poll] = [:]
    private var streams: [HTTPResponder: Stream] = [:]

    /// How many long-polls wait.
    var pollCount: Int { polls.count }
    /// How many streams are open.
    var streamCount: Int { streams.count }
    /// How many connections are held.
    var count: Int { polls.count + streams.count }

    /// Takes in a long-poll whose client has this version.
    mutating func addPoll(_ responder: HTTPResponder, environment: String, key: String?, version: UInt64) {
        polls[responder] = Poll(environment: environment, key: key, version: version)
    }

    /// Takes in a stream whose client is told of this version.
    mutating func addStream(_ responder: HTTPResponder, environment: String, version: UInt64) {
        streams[responder] = Stream(environment: environment, version: version)
    }

    /// Forgets one that ended by itself; nil if it isn't known, or not any more.
    mutating func remove(_ responder: HTTPResponder) -> Kind? {
        if polls.removeValue(forKey: responder) != nil { return .poll }
        return streams.removeValue(forKey: responder) == nil ? nil : .stream
    }

    /// What is to be sent now that the versions are these: streams first, because writing to one costs a fraction of
    /// what a reply does. Answered polls are forgotten. An environment whose document can't be had goes on waiting.
    mutating func takeAnswered(
        version: (_ environment: String) -> UInt64,
        document: (_ environment: String) -> PublishedDocument?
    ) -> [HTTPDelivery] {
        var deliveries: [HTTPDelivery] = []
        for (responder, stream) in streams where version(stream.environment) != stream.version {
            guard let document = document(stream.environment) else { continue }
            streams[responder]?.version = document.version
            deliveries.append(HTTPDelivery(responder, .chunk(document.notice)))
        }
        var answered: [HTTPResponder] = []
        for (responder, poll) in polls where version(poll.environment) != poll.version {
            guard let document = document(poll.environment) else { continue }
            let reply = (document.representation(of: poll.key) ?? document.whole).found
            deliveries.append(HTTPDelivery(responder, .reply(reply)))
            answered.append(responder)
        }
        for responder in answered { polls[responder] = nil }
        return deliveries
    }
}
