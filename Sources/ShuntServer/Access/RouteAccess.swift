/// Who may use an address, where tokens are configured.
enum RouteAccess: Hashable, CaseIterable, Sendable {
    /// Everybody.
    case open
    /// Everybody, or with `switches.public: false` whoever has a token: apps poll with the one that they report with.
    case poll
    /// Who reports. Not operators: every report comes with a token that says how far it can be believed.
    case report
    /// Who reads, operators too.
    case read
    /// Operators.
    case operate

    /// The roles that open the door; empty where none is needed.
    func roles(arePollsPublic: Bool) -> [Role] {
        switch self {
        case .open: []
        case .poll: arePollsPublic ? [] : Role.allCases
        case .report: [.report]
        case .read: [.read, .operate]
        case .operate: [.operate]
        }
    }
}
