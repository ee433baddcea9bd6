import ShuntNative

/// An option that a command knows.
struct OptionSpec {
    /// With its dashes, e.g. `--url`.
    var name: String
    /// Whether a value follows it.
    var takesValue = true
    /// The environment variable that stands in for it.
    var variable: String?
}

/// The options and arguments that a command was given.
struct Options {
    /// What isn't an option, in order.
    private(set) var arguments: [String] = []
    private var values: [String: String] = [:]
    /// The options on the command line itself.
    private var given: Set<String> = []

    init(_ words: [String], known: [OptionSpec]) throws(CommandFailure) {
        for spec in known {
            guard let variable = spec.variable, let value = ProcessEnvironment.value(variable) else { continue }
            values[spec.name] = value
        }
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                arguments += rest
                break
            }
            guard word.hasPrefix("--") else {
                arguments.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let spec = known.first(where: { $0.name == name }) else {
                let names = known.map(\.name).joined(separator: ", ")
                throw CommandFailure(.usage, "unknown option \(name); expected one of \(names), or --help")
            }
            guard given.insert(name).inserted else { throw CommandFailure(.usage, "\(name) is given twice") }
            if !spec.takesValue {
                guard parts.count == 1 else { throw CommandFailure(.usage, "\(name) takes no value") }
                values[name] = ""
            } else if parts.count == 2 {
                values[name] = String(parts[1])
            } else if let value = rest.popFirst() {
                values[name] = value
            } else {
                throw CommandFailure(.usage, "\(name) needs a value")
            }
        }
    }

    /// An option's value, from the command line or else from its environment variable.
    subscript(_ name: String) -> String? { values[name] }

    /// Whether an option is on the command line, whatever the environment says.
    func isGiven(_ name: String) -> Bool { given.contains(name) }

    /// Whether an option without value is given.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// A whole number of at least `minimum`.
    func integer(_ name: String, minimum: Int) throws(CommandFailure) -> Int? {
        guard let text = values[name] else { return nil }
        guard let value = Int(text), value >= minimum else {
            throw CommandFailure(.usage, "\(name) \(text): expected a whole number of at least \(minimum)")
        }
        return value
    }
}
