/// Where a secret of the configuration is kept: never in `shunt.yaml` itself, which is shown to others.
enum SecretSource: Sendable, Equatable, CustomStringConvertible {
    /// A file.
    case file(String)
    /// A variable of the environment.
    case environment(String)

    /// `env:NAME` means a variable, anything else a file.
    static let environmentPrefix = "env:"

    var description: String {
        switch self {
        case .file(let path): path
        case .environment(let name): Self.environmentPrefix + name
        }
    }
}
