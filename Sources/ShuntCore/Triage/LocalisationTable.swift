/// Failures of two windows with their attributes, in columns: what `Localiser` looks at.
public struct LocalisationTable: Sendable {
    /// One attribute of all rows.
    public struct Column: Sendable {
        /// The attribute's name, e.g. `app.version`.
        public let name: String
        /// The values that occur, each once.
        public let values: [String]
        /// For each row 0 where it has no value, else the place of its value in `values`, counted from 1.
        public let codes: [UInt32]

        /// A column of values that are interned already. A code beyond the values is a mistake of the caller's and
        /// traps when the table is looked at.
        public init(name: String, values: [String], codes: [UInt32]) {
            self.name = name
            self.values = values
            self.codes = codes
        }
    }

    /// The most failures or attempts that one row can stand for; more count as this many, so that no sum overflows.
    public static let maximumWeight: Int64 = 1 << 36

    /// The most rows: 2 ^ 26, so that no sum of the greatest weights overflows.
    public static let maximumRows = 1 << 26

    /// The attributes, in the order of the schema: it decides ties.
    public let columns: [Column]
    /// For each row whether it is of the window looked at, not of the baseline.
    public let isNow: [Bool]
    /// For each row how many failures it stands for, from 0 to `maximumWeight`.
    public let failures: [Int64]
    /// For each row how many attempts it stands for; empty where that isn't known.
    public let attempts: [Int64]

    /// The number of rows.
    public var rowCount: Int { isNow.count }

    /// A table of columns of equal length.
    ///
    /// Weights are clamped to 0…`maximumWeight`. Columns of different lengths, or more than `maximumRows` rows, are a
    /// mistake of the caller's and trap.
    public init(columns: [Column], isNow: [Bool], failures: [Int64], attempts: [Int64] = []) {
        precondition(isNow.count <= Self.maximumRows, "too many rows")
        precondition(failures.count == isNow.count, "a column is of another length")
        precondition(attempts.isEmpty || attempts.count == isNow.count, "a column is of another length")
        precondition(columns.allSatisfy { $0.codes.count == isNow.count }, "a column is of another length")
        self.columns = columns
        self.isNow = isNow
        self.failures = failures.map(Self.clamped)
        self.attempts = attempts.map(Self.clamped)
    }

    private static func clamped(_ weight: Int64) -> Int64 { min(max(weight, 0), maximumWeight) }
}

extension LocalisationTable {
    /// Makes a table row by row, keeping each value once.
    public struct Builder: Sendable {
        private let names: [String]
        private var values: [[String]]
        private var codes: [[UInt32]]
        private var known: [[String: UInt32]]
        private var isNow: [Bool] = []
        private var failures: [Int64] = []
        private var attempts: [Int64] = []
        private var areAttemptsKnown = true

        /// The number of rows so far.
        public var rowCount: Int { isNow.count }

        /// Whether no more rows fit.
        public var isFull: Bool { rowCount >= LocalisationTable.maximumRows }

        /// A table of attributes with these names, in the order of the schema.
        public init(attributes names: [String]) {
            self.names = names
            values = names.map { _ in [] }
            codes = names.map { _ in [] }
            known = names.map { _ in [:] }
        }

        /// Appends a row; what doesn't fit any more is left out.
        ///
        /// - Parameters:
        ///   - row: A value, or nil, for each attribute, in their order.
        ///   - isNow: Whether it is of the window looked at.
        ///   - failures: How many failures it stands for.
        ///   - attempts: How many attempts it stands for; nil where that isn't known.
        public mutating func append(
            _ row: [String?],
            isNow now: Bool,
            failures count: Int64,
            attempts tries: Int64? = nil
        ) {
            precondition(row.count == names.count, "a row has a value or nil for each attribute")
            guard !isFull else { return }
            for index in row.indices { codes[index].append(code(of: row[index], in: index)) }
            isNow.append(now)
            failures.append(count)
            attempts.append(tries ?? 0)
            // The baseline's attempts aren't looked at.
            if now, tries == nil { areAttemptsKnown = false }
        }

        private mutating func code(of value: String?, in column: Int) -> UInt32 {
            guard let value else { return 0 }
            if let code = known[column][value] { return code }
            values[column].append(value)
            let code = UInt32(values[column].count)
            known[column][value] = code
            return code
        }

        /// The table of all rows so far. Attempts are taken only where each row of the window looked at has them.
        public var table: LocalisationTable {
            LocalisationTable(
                columns: names.indices.map { Column(name: names[$0], values: values[$0], codes: codes[$0]) },
                isNow: isNow,
                failures: failures,
                attempts: areAttemptsKnown ? attempts : []
            )
        }
    }
}
