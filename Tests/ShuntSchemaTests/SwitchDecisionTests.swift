import ShuntSchema
import Testing

@Suite struct SwitchDecisionTests {
    private static func slice(_ match: [String: String], _ variant: String) -> ScopeStatus {
        ScopeStatus(match: match, state: .degraded, variant: variant, percent: 100)
    }

    private static let status = SwitchStatus(
        key: "apple-pay",
        state: .normal,
        variant: "native",
        since: Timestamp(milliseconds: 0),
        reason: nil,
        scopes: [
            slice(["region": "CN"], "china"),
            slice(["network": "visa"], "visa"),
            slice(["network": "visa", "region": "CN"], "visa in China"),
        ]
    )

    private static let decisions: [(attributes: [String: String], variant: String, decidedBy: String)] = [
        ([:], "native", "environment"),
        (["region": "US"], "native", "environment"),
        (["region": "cn"], "native", "environment"),
        (["region": "CN"], "china", "region=CN"),
        (["region": "CN", "psp": "unionpay"], "china", "region=CN"),
        (["network": "visa", "region": "US"], "visa", "network=visa"),
        (["network": "visa", "region": "CN"], "visa in China", "network=visa, region=CN"),
        (["network": "amex", "region": "CN"], "china", "region=CN"),
    ]

    @Test(arguments: decisions)
    func `the most specific slice that fits decides, else the environment`(
        attributes: [String: String],
        variant: String,
        decidedBy: String
    ) {
        let decision = Self.status.decision(for: attributes)
        #expect(decision.key == "apple-pay")
        #expect(decision.variant == variant)
        #expect(decision.decidedBy == decidedBy)
        #expect(decision.state == (variant == "native" ? .normal : .degraded))
    }

    @Test func `of two equally specific slices the first in the document decides`() {
        var status = Self.status
        status.scopes = [Self.slice(["region": "CN"], "first"), Self.slice(["network": "visa"], "second")]
        #expect(status.decision(for: ["region": "CN", "network": "visa"]).variant == "first")
    }
}
