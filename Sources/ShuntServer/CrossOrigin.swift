internal import ShuntNative

/// What web pages of other origins may use (WHATWG's Fetch, 3.3): the polls, and reports that come with a token.
enum CrossOrigin {
    /// On every answer at these doors, whoever asks: a cache may hand to a page what somebody else has asked for.
    ///
    /// Any origin, because nothing here goes by cookies: whoever has no token can't borrow a browser's.
    static let fields: [(name: String, value: String)] = [
        ("Access-Control-Allow-Origin", "*"),
        ("Access-Control-Expose-Headers", "ETag, Retry-After, \(DocumentSigner.field)"),
    ]

    /// The longest time that browsers take, in seconds: Chromium's limit.
    private static let maximumAgeSec = 7200

    /// Whether pages may use the door.
    ///
    /// Operators and readers have a dashboard of the daemon's own origin. Without tokens whoever reaches the port is
    /// believed, and a browser on this machine brings any page there: its reports would move payers.
    static func isOpen(_ access: RouteAccess, hasTokens: Bool) -> Bool {
        switch access {
        case .poll: true
        case .report: hasTokens
        case .open, .read, .operate: false
        }
    }

    /// The answer to a browser that asks before it sends a page's request.
    ///
    /// All names of fields are let through, as clients add some of their own; `*` doesn't stand for `Authorization`.
    static func preflight(_ route: Route) -> HTTPReply {
        // Who reads events at the same address is no page of another origin.
        let methods = route == .events ? "POST" : route.allow
        return HTTPReply(
            status: 204,
            headers: [
                ("Access-Control-Allow-Origin", "*"),
                ("Access-Control-Allow-Methods", methods),
                (
                    "Access-Control-Allow-Headers",
                    "Authorization, Content-Type, Content-Encoding, If-None-Match, Last-Event-ID, *"
                ),
                ("Access-Control-Max-Age", String(maximumAgeSec)),
                ("Allow", "\(route.allow), OPTIONS"),
            ]
        )
    }
}
