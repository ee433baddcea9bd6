import Testing

@testable import ShuntServer

/// What is wrong in the conditions of a rule.
@Suite struct RuleFilesBrokenMatchTests {
    private static let values: [BrokenText] = [
        BrokenText("a match that is a list", "match: [production]", "2:12 wrongType"),
        BrokenText("an unknown attribute", "match: { code: a }", "2:14 unknownKey"),
        BrokenText("a code without quotes", "match: { error.code: 5 }", "2:26 unquotedCode"),
        BrokenText("a code with a zero in front, without quotes", "match: { error.code: 05 }", "2:26 unquotedCode"),
        BrokenText(
            "a list of codes without quotes",
            "match: { error.code: [5, \"06\", -1] }",
            "2:27 unquotedCode",
            "2:36 unquotedCode"
        ),
        BrokenText("a truth value", "match: { region: true }", "2:22 unquotedCode"),
        BrokenText("a list that nothing is in", "match: { network: [] }", "2:23 neverMatches"),
        BrokenText("an empty exception", "match: { network: { not: [] } }", "2:30 outOfRange"),
        BrokenText("a value twice", "match: { network: [visa, amex, visa] }", "2:36 duplicateValue"),
        BrokenText("an empty text", "match: { network: \"\" }", "2:23 outOfRange"),
        BrokenText("an unknown stage", "match: { stage: [charged] }", "2:22 unknownValue"),
        BrokenText("an unknown outcome", "match: { outcome: { not: fail } }", "2:30 unknownValue"),
        BrokenText("an unknown test", "match: { network: { isnt: visa } }", "2:25 unknownKey"),
        BrokenText("both tests", "match: { network: { not: visa, prefix: v } }", "2:23 wrongType"),
        BrokenText("no test", "match: { network: {} }", "2:23 wrongType"),
        BrokenText("an empty prefix", "match: { network: { prefix: [] } }", "2:33 neverMatches"),
        BrokenText("a prefix without quotes", "match: { app.version: { prefix: 4.2 } }", "2:37 unquotedCode"),
        BrokenText("a version without quotes", "match: { app.version: 4.2 }", "2:27 unquotedCode"),
        BrokenText("an unknown class", "match: { class: [proc, user] }", "2:22 unknownValue"),
        BrokenText("an unknown weight", "match: { switchWeight: counted }", "2:28 unknownValue"),
        BrokenText("money that stands in rows only", "match: { money: stage }", "2:21 unknownValue"),
        BrokenText("a number that is a word", "match: { durationMs: slow }", "2:26 badUnit"),
        BrokenText("a number with a unit", "match: { durationMs: 8s }", "2:26 badUnit"),
        BrokenText("a status that can't be", "match: { error.httpStatus: [503, 5030] }", "2:38 neverMatches"),
    ]

    @Test(arguments: values)
    func `a condition with something amiss`(broken: BrokenText) throws {
        try RuleFilesBrokenTests.expectRule(broken)
    }

    private static let ranges: [BrokenText] = [
        BrokenText("a sign twice", "match: { app.version: \">=4 >=5\" }", "2:27 badUnit"),
        BrokenText("three ends", "match: { app.version: \">=4 <5 <6\" }", "2:27 badUnit"),
        BrokenText("a sign alone", "match: { app.version: \">=\" }", "2:27 badUnit"),
        BrokenText("a sign apart", "match: { app.version: \">= 4\" }", "2:27 badUnit"),
        BrokenText("equal signs", "match: { app.version: \"==4.2\" }", "2:27 badUnit"),
        BrokenText("dots between versions", "match: { os.version: \"17..18\" }", "2:26 badUnit"),
        BrokenText("a version with letters", "match: { app.version: \">=4.2-beta\" }", "2:27 badUnit"),
        BrokenText("versions from high to low", "match: { app.version: \">=4.3 <4.2\" }", "2:27 neverMatches"),
        BrokenText("no version between", "match: { app.version: \">4.2 <=4.2.0\" }", "2:27 neverMatches"),
        BrokenText("a range in a list", "match: { app.version: [\">=4.2\"] }", "2:28 badUnit"),
        BrokenText("a range that is excluded", "match: { app.version: { not: \">=4.2\" } }", "2:34 badUnit"),
        BrokenText("a range of what has no order", "match: { region: \">=CN\" }", "2:22 badUnit"),
        BrokenText("numbers from high to low", "match: { error.httpStatus: \"599..500\" }", "2:32 neverMatches"),
        BrokenText("no number between", "match: { durationMs: \">7 <8\" }", "2:26 neverMatches"),
        BrokenText("numbers below zero", "match: { durationMs: \"<0\" }", "2:26 neverMatches"),
        BrokenText("a status above all", "match: { error.httpStatus: \">999\" }", "2:32 neverMatches"),
        BrokenText("a number beyond all", "match: { amount.minor: \">9223372036854775807\" }", "2:28 badUnit"),
        BrokenText("half a stretch", "match: { durationMs: \"500..\" }", "2:26 badUnit"),
        BrokenText("a fraction", "match: { durationMs: \">=0.5\" }", "2:26 badUnit"),
    ]

    @Test(arguments: ranges)
    func `a range with something amiss`(broken: BrokenText) throws {
        try RuleFilesBrokenTests.expectRule(broken)
    }

    private static let contradictions: [BrokenText] = [
        BrokenText("a prefix that no stage has", "match: { stage: { prefix: charged } }", "2:21 neverMatches"),
        BrokenText(
            "a class that never counts",
            "match: { class: [user, issuer], switchWeight: [count, countFast] }",
            "2:51 neverMatches"
        ),
        BrokenText(
            "a weight that isn't none, of risk",
            "match: { switchWeight: { not: none }, class: risk }",
            "2:28 neverMatches"
        ),
        BrokenText(
            "successes that are the processor's fault",
            "match: { outcome: succeeded, class: processor }",
            "2:41 neverMatches"
        ),
        BrokenText(
            "successes that count",
            "match: { outcome: { not: [failed, cancelled] }, switchWeight: count }",
            "2:67 neverMatches"
        ),
        BrokenText(
            "a trip by what doesn't count",
            "match: { switchWeight: none }\n    trip: { switch: apple-pay }",
            "2:28 neverTrips"
        ),
        BrokenText(
            "a trip by the payer",
            "match: { class: [user, notFailure] }\n    trip: { switch: apple-pay }",
            "2:21 neverTrips"
        ),
        BrokenText(
            "a trip by successes",
            "match: { outcome: [succeeded] }\n    trip: { switch: apple-pay }",
            "2:23 neverTrips"
        ),
    ]

    @Test(arguments: contradictions)
    func `conditions that leave nothing`(broken: BrokenText) throws {
        try RuleFilesBrokenTests.expectRule(broken)
    }
}
