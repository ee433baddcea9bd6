/// What came of one test.
public struct RuleTestResult: Equatable, Sendable {
    /// The test's name.
    public let name: String
    /// The file that it is in, by the path of the rules folder as it was given.
    public let file: String
    /// The line that it starts at, from 1.
    public let line: Int
    /// How many events it told.
    public let eventCount: Int
    /// How many expectations it has.
    public let expectationCount: Int
    /// The expectations that weren't met, by time; empty where the test passed.
    public let failures: [RuleTestFailure]

    /// Whether everything was as expected.
    public var isPassed: Bool { failures.isEmpty }
}

/// An expectation that wasn't met.
public struct RuleTestFailure: Equatable, Sendable {
    /// When, in milliseconds from the test's start.
    public let atMs: Int64
    /// The expectation's line, from 1.
    public let line: Int
    /// The expectation's column, from 1.
    public let column: Int
    /// What is otherwise than expected; at least one.
    public let differences: [RuleTestDifference]
    /// How far each rule had come and what it didn't count.
    public let rules: [RuleTestProgress]
}

/// One thing that is otherwise than expected.
public struct RuleTestDifference: Equatable, Sendable {
    /// What it is about, e.g. `alerts` or `switch apple-pay`.
    public let subject: String
    /// What the test says, a line for each thing.
    public let expected: [String]
    /// What came of the events, a line for each thing.
    public let actual: [String]
}

/// How far a rule had come.
public struct RuleTestProgress: Equatable, Sendable {
    /// The rule.
    public let rule: String
    /// What is known, a line for each thing.
    public let lines: [String]
}
