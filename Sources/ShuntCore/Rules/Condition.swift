internal import ShuntSchema

/// A test of one attribute.
public struct Condition: Equatable, Sendable {
    /// The attribute.
    public var dimension: Dimension
    /// What it must be.
    public var test: Test

    /// What an attribute must be.
    public enum Test: Equatable, Sendable {
        /// One of these values; an absent attribute fails.
        case oneOf([String])
        /// None of these values; an absent attribute passes.
        case noneOf([String])
        /// Begins with one of these; an absent attribute fails.
        case prefix([String])
        /// A version within the range; an absent attribute, or one that is no version, fails.
        case versions(VersionRange)
        /// A whole number within the range; an absent attribute, or one that is no whole number, fails.
        case numbers(NumberRange)
    }

    /// A condition.
    public init(_ dimension: Dimension, _ test: Test) {
        self.dimension = dimension
        self.test = test
    }

    /// Whether an event that means this passes.
    func holds(for event: PaymentEvent, meaning classification: Classification) -> Bool {
        let value = dimension.value(in: event, meaning: classification)
        switch test {
        case .oneOf(let values): return value.map(values.contains) ?? false
        case .noneOf(let values): return value.map { !values.contains($0) } ?? true
        case .prefix(let prefixes): return value.map { value in prefixes.contains { value.hasPrefix($0) } } ?? false
        case .versions(let range): return value.flatMap(Version.init).map(range.contains) ?? false
        case .numbers(let range): return value.flatMap { Int64($0) }.map(range.contains) ?? false
        }
    }
}

/// A version such as `4.2.0`: numbers between dots, compared one by one; `4.2` equals `4.2.0`.
public struct Version: Hashable, Comparable, Sendable {
    /// The numbers, without zeros at the end.
    public let parts: [Int64]

    /// Reads a version: numbers between dots, at most eight. What follows a `-`, `+` or space (`4.2.0-beta`) is left
    /// aside. Nil for anything else.
    public init?(_ text: String) {
        let core = text.prefix { $0 != "-" && $0 != "+" && $0 != " " }
        let words = core.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...8).contains(words.count) else { return nil }
        var parts: [Int64] = []
        for word in words {
            guard let part = Int64(word), part >= 0 else { return nil }
            parts.append(part)
        }
        while parts.last == 0 { parts.removeLast() }
        self.parts = parts
    }

    /// Orders by the first number that differs.
    public static func < (left: Version, right: Version) -> Bool {
        left.parts.lexicographicallyPrecedes(right.parts)
    }
}

/// A stretch of versions.
public struct VersionRange: Equatable, Sendable {
    /// One end.
    public struct Bound: Equatable, Sendable {
        /// The version at the end.
        public var version: Version
        /// Whether it is inside.
        public var isIncluded: Bool

        /// An end.
        public init(_ version: Version, isIncluded: Bool) {
            self.version = version
            self.isIncluded = isIncluded
        }
    }

    /// The lower end; nil for none.
    public var lower: Bound?
    /// The upper end; nil for none.
    public var upper: Bound?

    /// A range.
    public init(lower: Bound?, upper: Bound?) {
        self.lower = lower
        self.upper = upper
    }

    /// Whether a version is inside.
    public func contains(_ version: Version) -> Bool {
        if let lower, version < lower.version || version == lower.version && !lower.isIncluded { return false }
        if let upper, upper.version < version || version == upper.version && !upper.isIncluded { return false }
        return true
    }
}

/// A stretch of whole numbers, its ends included.
public struct NumberRange: Equatable, Sendable {
    /// The least; nil for none.
    public var lower: Int64?
    /// The greatest; nil for none.
    public var upper: Int64?

    /// A range.
    public init(lower: Int64?, upper: Int64?) {
        self.lower = lower
        self.upper = upper
    }

    /// Whether a number is inside.
    public func contains(_ number: Int64) -> Bool {
        number >= lower ?? .min && number <= upper ?? .max
    }
}
