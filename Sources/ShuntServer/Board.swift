internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema
internal import Synchronization

/// The published switch state that polls are served from: in memory, ready as bytes.
///
/// The writer publishes under a lock that is held for a few assignments; reading never waits for a commit.
final class Board: Sendable {
    /// How many environments that never saw a transition are kept ready. Hostile names can't cost more.
    static let maximumCalmEnvironments = 64
    private struct Published {
        var view: SwitchView?
        var documents: [String: PublishedDocument] = [:]
        var calmEnvironments = 0
        var parked: [HTTPResponder: ParkedPoll] = [:]

        /// The version of an environment's document; where nothing ever moved, none needs to be made to know it.
        func version(of environment: String) -> UInt64 {
            documents[environment]?.version ?? calmVersion
        }

        /// The version of every document in which nothing ever moved.
        var calmVersion: UInt64 { view?.bank.definedVersion ?? SwitchBank.firstVersion }
    }

    /// A long-poll that waits for a version other than the one its client has.
    private struct ParkedPoll {
        var environment: String
        var key: String?
        var version: UInt64
    }

    private let published = Mutex(Published())
    /// How many long-polls may be parked at once; each holds a connection, and reports need some too.
    private let maximumParked: Int

    /// Whether shared caches may keep the documents.
    private let isPublic: Bool

    /// - Parameter isPublic: Whether polls need no token, so that any cache may answer them.
    init(maximumParked: Int = 6_000, isPublic: Bool = true) {
        self.maximumParked = maximumParked
        self.isPublic = isPublic
    }

    /// Makes the state of the switches visible, then wakes the long-polls that it answers.
    func publish(_ state: State) {
        let view = state.switchView
        let (formerView, former) = published.withLock { ($0.view, $0.documents) }
        let isAlike = formerView?.isAlike(view) ?? false
        let calmVersion = view.bank.definedVersion
        var versions = [PaymentEvent.defaultEnvironment: calmVersion]
        for machine in view.bank.allMachines {
            versions[machine.scope.environment] =
                max(versions[machine.scope.environment] ?? calmVersion, machine.version)
        }
        var ready: [String: PublishedDocument] = [:]
        for (environment, version) in versions {
            // A thousand environments can have moved, and one transition is of one of them.
            if isAlike, let known = former[environment], known.version == version {
                ready[environment] = known
            } else {
                ready[environment] = PublishedDocument(view.document(environment: environment), isPublic: isPublic)
            }
        }
        let woken = published.withLock { published in
            published.view = view
            published.documents = ready
            published.calmEnvironments = 0
            return takeAnswered(&published)
        }
        HTTPResponder.complete(woken)
    }

    /// The document of an environment.
    ///
    /// One that isn't ready is made outside the lock, so that polls for unheard-of environments hold up nobody else.
    func document(environment: String) -> PublishedDocument? {
        let (known, view) = published.withLock { ($0.documents[environment], $0.view) }
        if let known { return known }
        guard let view else { return nil }
        let document = PublishedDocument(view.document(environment: environment), isPublic: isPublic)
        published.withLock { published in
            guard published.calmEnvironments < Self.maximumCalmEnvironments,
                // It may have moved meanwhile.
                published.documents[environment] == nil, published.version(of: environment) == document.version,
                published.view?.isAlike(view) == true
            else { return }
            published.calmEnvironments += 1
            published.documents[environment] = document
        }
        return document
    }

    /// The version of an environment's document, and how long its clients should wait between polls.
    ///
    /// Makes no document: the events of one batch can be of a thousand environments.
    func standing(of environment: String) -> (version: UInt64, pollAfterSec: Int64) {
        published.withLock { published in
            guard let document = published.documents[environment]?.document else {
                return (published.calmVersion, SwitchView.calmPollSec)
            }
            return (document.version, document.pollAfterSec)
        }
    }

    /// What a long-poll gets: an answer at once, or a place to wait.
    enum PollOutcome {
        /// There is another version than the client's.
        case answer(PublishedDocument)
        /// The responder is parked until there is one.
        case parked(PublishedDocument)
        /// So many wait already that this one must poll without waiting.
        case full
    }

    /// Answers a long-poll at once if its client's version isn't the current one, else parks it. Nil before the
    /// first `publish`.
    ///
    /// A version beyond ours is of another epoch, so it counts as different too.
    func poll(environment: String, key: String?, after version: UInt64, responder: HTTPResponder) -> PollOutcome? {
        guard let document = document(environment: environment) else { return nil }
        if document.version != version { return .answer(document) }
        let isParked = published.withLock { published -> Bool? in
            // Whoever publishes after this finds the poll, and whoever published before it is seen here.
            guard published.version(of: environment) == version else { return nil }
            guard published.parked.count < maximumParked else { return false }
            published.parked[responder] = ParkedPoll(environment: environment, key: key, version: version)
            return true
        }
        switch isParked {
        case true?: return .parked(document)
        case false?: return .full
        case nil: return self.document(environment: environment).map { .answer($0) }
        }
    }

    /// Forgets a long-poll that ended by itself.
    func forget(_ responder: HTTPResponder) {
        published.withLock { _ = $0.parked.removeValue(forKey: responder) }
    }

    /// How many long-polls wait.
    var parkedCount: Int {
        published.withLock { $0.parked.count }
    }

    /// Every environment that has a document of its own, with it.
    var documents: [(environment: String, document: PublishedDocument)] {
        published.withLock { published in
            published.documents.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }

    private func takeAnswered(_ published: inout Published) -> [(responder: HTTPResponder, reply: HTTPReply)] {
        var answered: [(responder: HTTPResponder, reply: HTTPReply)] = []
        // Other switches make other documents in environments too where nothing ever moved, and these aren't ready.
        var calm: [String: PublishedDocument] = [:]
        for (responder, poll) in published.parked where published.version(of: poll.environment) != poll.version {
            let known = published.documents[poll.environment] ?? calm[poll.environment]
            let made = known == nil ? published.view?.document(environment: poll.environment) : nil
            guard let document = known ?? made.map({ PublishedDocument($0, isPublic: isPublic) }) else { continue }
            if known == nil { calm[poll.environment] = document }
            answered.append((responder, (document.representation(of: poll.key) ?? document.whole).found))
        }
        for (responder, _) in answered { published.parked[responder] = nil }
        return answered
    }
}

/// A document, and each of its switches alone, ready to be sent.
struct PublishedDocument: Sendable {
    let document: SwitchDocument
    /// All switches.
    let whole: Representation
    private let single: [String: Representation]

    var version: UInt64 { document.version }

    init(_ document: SwitchDocument, isPublic: Bool) {
        self.document = document
        whole = Representation(document.json(), isPublic: isPublic)
        var single: [String: Representation] = [:]
        for status in document.switches {
            guard let body = document.json(key: status.key) else { continue }
            single[status.key] = Representation(body, isPublic: isPublic)
        }
        self.single = single
    }

    /// One switch, or all of them when none is named; nil when there is no such switch.
    func representation(of key: String?) -> Representation? {
        guard let key else { return whole }
        return single[key]
    }
}

/// A cacheable body with its validator: the replies for it are made once and sent any number of times.
struct Representation: Sendable {
    /// Clients, and shared caches if it is public, may use it for 5 s, and go on with it for 10 minutes when the daemon
    /// is away.
    private static let cacheControl = "max-age=5, stale-while-revalidate=30, stale-if-error=600"

    /// Strong, quoted: a hash of the body.
    let etag: String
    /// 200 with the body.
    let found: HTTPReply
    /// 304.
    let notModified: HTTPReply

    init(_ body: [UInt8], isPublic: Bool = true) {
        etag = "\"\(Digest.sha256(body).hexadecimal.prefix(32))\""
        let cacheControl = "\(isPublic ? "public" : "private"), \(Self.cacheControl)"
        let validators = [("ETag", etag), ("Cache-Control", cacheControl)]
        found = HTTPReply(status: 200, headers: [("Content-Type", "application/json")] + validators, body: body)
        notModified = HTTPReply(status: 304, headers: validators)
    }

    /// The reply to a request that carries this `If-None-Match`, if any.
    func reply(ifNoneMatch: String?) -> HTTPReply {
        guard let ifNoneMatch, EntityTags.matches(ifNoneMatch, etag) else { return found }
        return notModified
    }
}

extension SwitchView {
    /// Whether documents of equal versions are the same documents.
    fileprivate func isAlike(_ other: SwitchView) -> Bool {
        epoch == other.epoch && foundedAt == other.foundedAt && definitions == other.definitions
    }
}
