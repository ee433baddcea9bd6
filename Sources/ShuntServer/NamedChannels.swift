internal import ShuntCore
internal import Synchronization

/// Whether the channels that rules name are configured. Rule files can't be checked against them, since they are
/// another file's, and a name that no channel has must be seen before the alert.
final class NamedChannels: Sendable {
    private let configured: [String]
    private let missing = Mutex<[String]>([])

    /// - Parameter configured: the names of the channels.
    init(configured: [String]) {
        self.configured = configured
    }

    /// Compares them with rules that are in force now, and warns of each that isn't there.
    func compare(with ruleSet: RuleSet) {
        // Who has no channels looks at alerts himself, and the shipped rules name one.
        let names = configured.isEmpty ? [] : ruleSet.channelNames.filter { !configured.contains($0) }
        missing.withLock { $0 = names }
        for name in names {
            Log.warning("rules name the channel \(name), which isn't configured: others are told in its place")
        }
    }

    /// How they stand, for `/readyz`.
    var text: String {
        let names = missing.withLock { $0 }
        if configured.isEmpty { return "none is configured" }
        return names.isEmpty
            ? "all that rules name are configured"
            : "rules name what isn't configured: \(names.joined(separator: ", "))"
    }
}
