internal import ShuntSchema

/// A stretch of failures as columns: each attribute's values once, and for each failure the number of its value.
///
/// A segment has its own values, so that forgetting it forgets them too: whatever reporters make up, memory is bounded.
struct FailureSegment: Sendable {
    /// What is kept of a failure beside its attributes.
    struct Row: Sendable {
        var seq: UInt64
        var at: Timestamp
        /// Which error it is, as the history numbers them.
        var key: Int32
        /// Had it happened a window or longer ago when it came.
        var isLate: Bool
        /// Tells its attempt apart; 0 where it can't be told from others.
        var attempt: UInt64
        /// Tells its install apart; 0 where it names none.
        var install: UInt64
        /// The amount in minor units, of the currency in its column.
        var amountMinor: Int64?
        /// How long the step took, in milliseconds.
        var durationMs: Int64?
        /// The size of the request, in bytes.
        var bodyBytes: Int64?
    }

    /// One attribute: 0 stands for "none", n for the n-th value.
    struct Column: Sendable {
        private(set) var values: [String] = []
        private(set) var codes: [UInt32] = []
        private var numbers: [String: UInt32] = [:]
        private var valueBytes = 0
        /// How many bytes a segment's values of one attribute may take. Values beyond it are as good as none: somebody
        /// makes them up.
        private static let maximumValueBytes = 65_536

        mutating func append(_ value: String?) {
            codes.append(value.map { number(of: $0) } ?? 0)
        }

        private mutating func number(of value: String) -> UInt32 {
            // Failures that come together are mostly alike.
            if let last = codes.last, last > 0, values[Int(last) - 1] == value { return last }
            if let known = numbers[value] { return known }
            guard valueBytes + value.utf8.count <= Self.maximumValueBytes else { return 0 }
            valueBytes += value.utf8.count
            values.append(value)
            let number = UInt32(values.count)
            numbers[value] = number
            return number
        }

        /// The value of a row; nil where it has none.
        func value(at row: Int) -> String? {
            codes[row] == 0 ? nil : values[Int(codes[row]) - 1]
        }
    }

    /// The attributes that are kept: those of rules, but for what is a number of the row, and what is localised besides.
    static let attributes: [LocalisedAttribute] =
        Dimension.allCases.filter { !$0.isMeasured }.map(LocalisedAttribute.dimension) + [.issuerBin, .networkType]
    /// The place of each of them.
    static let places = Dictionary(uniqueKeysWithValues: attributes.enumerated().map { ($1, $0) })
    private(set) var rows: [Row] = []
    private(set) var columns = [Column](repeating: Column(), count: FailureSegment.attributes.count)

    var count: Int { rows.count }

    mutating func append(_ row: Row, _ event: PaymentEvent, meaning classification: Classification) {
        rows.append(row)
        for (place, attribute) in Self.attributes.enumerated() {
            columns[place].append(attribute.value(in: event, meaning: classification))
        }
    }

    /// An attribute of a row.
    func value(_ dimension: Dimension, at row: Int) -> String? {
        guard let place = Self.places[.dimension(dimension)] else { return nil }
        return columns[place].value(at: row)
    }

    /// The failure of a row, as far as it is kept, and what it means: enough for a rule's conditions.
    func failure(at row: Int) -> (event: PaymentEvent, meaning: Classification) {
        let kept = rows[row]
        func text(_ dimension: Dimension) -> String? { value(dimension, at: row) }
        var error = text(.errorCode).map { ErrorReport(domain: text(.errorDomain) ?? "unknown", code: $0) }
        error?.subcode = text(.errorSubcode)
        error?.httpStatus = text(.errorHTTPStatus).flatMap { Int64($0) }
        var event = PaymentEvent(outcome: text(.outcome).flatMap(Outcome.init(rawValue:)) ?? .failed, error: error)
        event.environment = text(.environment) ?? event.environment
        event.source = text(.source) ?? event.source
        event.paymentMethod = text(.paymentMethod)
        event.network = text(.network)
        event.psp = text(.psp)
        event.route = text(.route)
        event.stage = text(.stage).flatMap(Stage.init(rawValue:)) ?? .unknown
        event.region = text(.region)
        event.merchantId = text(.merchantId)
        event.app = AppInfo(bundleId: text(.appBundleId), version: text(.appVersion), build: text(.appBuild))
        event.os = OSInfo(name: text(.osName), version: text(.osVersion))
        event.deviceModel = text(.deviceModel)
        event.requestHost = text(.requestHost)
        event.tokenVersion = text(.tokenVersion)
        // Not its name, but that it has one, which rules that count installs ask for.
        event.installId = kept.install == 0 ? nil : String(kept.install, radix: 16)
        event.durationMs = kept.durationMs
        event.bodyBytes = kept.bodyBytes
        if let minor = kept.amountMinor, let currency = text(.amountCurrency) {
            event.amount = Amount(minor: minor, currency: currency)
        }
        let meaning = Classification(
            failureClass: text(.failureClass).flatMap(FailureClass.init(rawValue:)) ?? .unknown,
            retry: .notApplicable,
            switchWeight: text(.switchWeight).flatMap(SwitchWeight.init(rawValue:)) ?? .none,
            money: text(.money).flatMap(MoneyState.init(rawValue:)) ?? .stage,
            reason: .shippedRow
        )
        return (event, meaning)
    }
}
