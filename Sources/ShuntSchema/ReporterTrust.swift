/// How far a report can be believed, by the token that it came with. The raw value is the word of the configuration.
public enum ReporterTrust: String, CaseIterable, Hashable, Sendable {
    /// The token is kept on servers: nobody else can report with it.
    case trusted
    /// The token is inside apps or pages, where anybody can read it: whoever wants payers moved can report with it.
    case `public`
}
