import TestSupport
import Testing

@testable import ShuntServer

/// The section `signing` of `shunt.yaml`.
@Suite struct SigningFormTests {
    private func read(_ text: String) throws(ConfigurationError) -> Configuration {
        try ConfigurationFile.read(Array(text.utf8), file: "/etc/shunt/shunt.yaml")
    }

    @Test func `keys are files, relative to the configuration's own, or variables`() throws {
        let one = try read("signing: { key: signing.key }")
        #expect(one.signing == SigningSettings(key: .file("/etc/shunt/signing.key")))
        let two = try read("signing: { key: \"env:SHUNT_SIGNING_KEY\", previousKey: /run/old.key }")
        let expected = SigningSettings(key: .environment("SHUNT_SIGNING_KEY"), previousKey: .file("/run/old.key"))
        #expect(two.signing == expected)
    }

    @Test(arguments: [
        Row("signing: {}", "1:10 without the key \"key\""),
        Row("signing: { previousKey: old.key }", "without the key \"key\""),
        Row("signing: { key: \"env:\" }", "a text of 4 characters"),
        Row("signing: { key: \"env:A-B\" }", "a text of 7 characters"),
        Row("signing: { key: true }", "the truth value true"),
        Row("signing: { key: [a] }", "a list"),
        Row("signing: { keys: a }", "unknown key \"keys\""),
        Row("signing: { key: MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f }", "a key itself"),
        Row("signing: ./signing.key", "the text \"./signing.key\""),
    ])
    func `what is wrong is named, and a secret isn't repeated`(row: Row<String>) {
        let error = #expect(throws: ConfigurationError.self) { _ = try read(row.name) }
        let text = error?.problems.map { "\($0.line):\($0.column) \($0)" }.joined() ?? ""
        #expect(row.value.split(separator: " ", maxSplits: 1).allSatisfy { text.contains($0) }, "\(text)")
        #expect(!text.contains("MC4C"))
    }
}
