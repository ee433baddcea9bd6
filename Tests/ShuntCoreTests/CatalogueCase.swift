import ShuntCore
import ShuntSchema
import Testing

/// A failure to classify and what must come out; what is nil isn't asked.
struct CatalogueCase: Sendable, CustomTestStringConvertible {
    var name: String
    var domain = "unknown"
    var code = ""
    var subcode: String?
    var stage: Stage = .unknown
    var outcome: Outcome = .failed
    var httpStatus: Int64?
    var message: String?
    var durationMs: Int64?
    var underlying: [UnderlyingError] = []
    var wanted: FailureClass
    var weight: SwitchWeight?
    var money: MoneyState?
    var reason: Classification.Reason?
    var testDescription: String { name }

    func classified(by catalogue: Catalogue) -> Classification {
        catalogue.classify(
            domain: domain,
            code: code,
            subcode: subcode,
            stage: stage,
            outcome: outcome,
            httpStatus: httpStatus,
            message: message,
            durationMs: durationMs,
            underlying: underlying
        )
    }

    /// Fails the test where the shipped catalogue says something else.
    func check() throws {
        let result = classified(by: try CatalogueFiles.shipped.get())
        #expect(result.failureClass == wanted)
        if let weight { #expect(result.switchWeight == weight) }
        if let money { #expect(result.money == money) }
        if let reason { #expect(result.reason == reason) }
        #expect(result.money != .stage)
    }
}
