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
        var waiters = Waiters()

        /// The version of an environment's document; where nothing ever moved, none needs to be made to know it.
        func version(of environment: String) -> UInt64 {
            documents[environment]?.version ?? calmVersion
        }

        /// The version of every document in which nothing ever moved.
        var calmVersion: UInt64 { view?.bank.definedVersion ?? SwitchBank.firstVersion }
    }

    private let published = Mutex(Published())
    /// How many long-polls and streams may wait at once; each holds a connection, and reports need some too.
    private let maximumParked: Int
    /// Over what time those who wait are told of a version.
    private let spreadMs: Int64
    /// Those who are told later than at once are told in steps of this time, together.
    private static let spreadStepMs: Int64 = 10

    /// Whether shared caches may keep the documents.
    private let isPublic: Bool
    /// Signs the documents; nil when nobody does.
    private let signer: DocumentSigner?

    /// - Parameters:
    ///   - isPublic: Whether polls need no token, so that any cache may answer them.
    ///   - signer: Signs the documents, if they are to be signed.
    init(maximumParked: Int = 6_000, spreadMs: Int64 = 0, isPublic: Bool = true, signer: DocumentSigner? = nil) {
        self.maximumParked = maximumParked
        self.spreadMs = spreadMs
        self.isPublic = isPublic
        self.signer = signer
    }

    /// Makes the state of the switches visible, then tells those who wait for it; gives the number of long-polls that
    /// it answers.
    @discardableResult
    func publish(_ state: State) -> Int {
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
                ready[environment] = publishable(view, environment)
            }
        }
        var (deliveries, answered) = published.withLock { published in
            published.view = view
            published.documents = ready
            published.calmEnvironments = 0
            return takeAnswered(&published)
        }
        spread(&deliveries)
        HTTPResponder.deliver(deliveries)
        return answered
    }

    /// Gives each delivery its time, so that not everybody comes for the document in the same moment.
    private func spread(_ deliveries: inout [HTTPDelivery]) {
        guard spreadMs > 0 else { return }
        let now = HTTPClock.nowNanoseconds
        let count = Int64(deliveries.count)
        for index in deliveries.indices {
            let delayMs = spreadMs * Int64(index) / count / Self.spreadStepMs * Self.spreadStepMs
            deliveries[index].notBeforeNanoseconds = now + delayMs * 1_000_000
        }
    }

    private func takeAnswered(_ published: inout Published) -> (deliveries: [HTTPDelivery], polls: Int) {
        // Other switches make other documents in environments too where nothing ever moved, and these aren't ready.
        var calm: [String: PublishedDocument] = [:]
        let before = published.waiters.pollCount
        var waiters = published.waiters
        published.waiters = Waiters()
        let deliveries = waiters.takeAnswered(version: published.version(of:)) { environment in
            if let known = published.documents[environment] ?? calm[environment] { return known }
            let made = published.view.map { publishable($0, environment) }
            calm[environment] = made
            return made
        }
        published.waiters = waiters
        return (deliveries, before - waiters.pollCount)
    }

    private func publishable(_ view: SwitchView, _ environment: String) -> PublishedDocument {
        PublishedDocument(view.document(environment: environment), isPublic: isPublic, signer: signer)
    }

    /// The document of an environment.
    ///
    /// One that isn't ready is made outside the lock, so that polls for unheard-of environments hold up nobody else.
    func document(environment: String) -> PublishedDocument? {
        let (known, view) = published.withLock { ($0.documents[environment], $0.view) }
        if let known { return known }
        guard let view else { return nil }
        let document = publishable(view, environment)
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
            guard published.waiters.count < maximumParked else { return false }
            published.waiters.addPoll(responder, environment: environment, key: key, version: version)
            return true
        }
        switch isParked {
        case true?: return .parked(document)
        case false?: return .full
        case nil: return self.document(environment: environment).map { .answer($0) }
        }
    }

    /// What becomes of a stream.
    enum StreamOutcome {
        /// It's told of every version from now on; of the present one by its opening.
        case open(PublishedDocument)
        /// So many are open already that this client must poll.
        case full
    }

    /// Opens a stream. Nil before the first `publish`.
    ///
    /// At most half of those who may wait are streams: a stream waits for as long as its client likes.
    func openStream(environment: String, responder: HTTPResponder) -> StreamOutcome? {
        let isOpen = published.withLock { published in
            guard published.waiters.count < maximumParked, published.waiters.streamCount < maximumParked / 2 else {
                return false
            }
            let version = published.version(of: environment)
            published.waiters.addStream(responder, environment: environment, version: version)
            return true
        }
        guard isOpen else { return .full }
        // Read after it's known to whoever publishes: it may hear of a version twice, but never of none.
        guard let document = document(environment: environment) else {
            _ = forget(responder)
            return nil
        }
        return .open(document)
    }

    /// Forgets what ended by itself; says what it was, if it still waited.
    func forget(_ responder: HTTPResponder) -> Waiters.Kind? {
        published.withLock { $0.waiters.remove(responder) }
    }

    /// How many long-polls wait.
    var parkedCount: Int {
        published.withLock { $0.waiters.pollCount }
    }

    /// How many streams are open.
    var streamCount: Int {
        published.withLock { $0.waiters.streamCount }
    }

    /// Every environment that has a document of its own, with it.
    var documents: [(environment: String, document: PublishedDocument)] {
        published.withLock { published in
            published.documents.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }
}

extension SwitchView {
    /// Whether documents of equal versions are the same documents.
    fileprivate func isAlike(_ other: SwitchView) -> Bool {
        epoch == other.epoch && foundedAt == other.foundedAt && definitions == other.definitions
    }
}
