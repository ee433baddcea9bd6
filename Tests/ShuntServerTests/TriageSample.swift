import ShuntCore
import ShuntSchema
import Testing

/// One kind of failure, as a test describes it.
struct TriageSample {
    var event = PaymentEvent(error: ErrorReport(domain: "x", code: "1"))
    var failureClass = FailureClass.unknown
    var count = 20
    var attempts: Int?
    var environments: [TriageSubject.Traffic]?
    var versions: [TriageSubject.Traffic]?
    var hours: [Int]?

    var subject: TriageSubject {
        let classification = Classification(
            failureClass: failureClass,
            retry: .notApplicable,
            switchWeight: .none,
            money: .notMoved,
            reason: .unknownCode
        )
        let failure = TriageSubject.Failure(event: event, classification: classification)
        return TriageSubject(
            failures: Array(repeating: failure, count: min(count, 20)),
            failureCount: count,
            attempts: attempts,
            environments: environments,
            appVersions: versions,
            hourlyFailures: hours
        )
    }

    mutating func error(_ domain: String, _ code: String, _ stage: Stage = .unknown) {
        event.error?.domain = domain
        event.error?.code = code
        event.stage = stage
    }

    mutating func status(_ status: Int64, _ stage: Stage, bytes: Int64? = nil) {
        event.error?.httpStatus = status
        event.stage = stage
        event.bodyBytes = bytes
    }

    mutating func say(_ text: String, _ stage: Stage = .unknown) {
        event.error?.message = text
        event.stage = stage
    }

    mutating func context(_ key: String, _ value: String) {
        event.context.append(ContextEntry(key: key, value: .string(value)))
    }

    mutating func isFineInSandbox(_ isFine: Bool = true) {
        environments = [
            TriageSubject.Traffic("production", attempts: 100, failures: 20),
            TriageSubject.Traffic("sandbox", attempts: 100, failures: isFine ? 0 : 20),
        ]
    }
}

/// A diagnosis, how it shows, and a case beside it that it isn't for.
struct TriageRow: Sendable, CustomTestStringConvertible {
    let id: String
    let show: @Sendable (inout TriageSample) -> Void
    let miss: @Sendable (inout TriageSample) -> Void

    init(
        _ id: String,
        _ show: @escaping @Sendable (inout TriageSample) -> Void,
        miss: @escaping @Sendable (inout TriageSample) -> Void
    ) {
        self.id = id
        self.show = show
        self.miss = miss
    }

    var testDescription: String { id }
}

extension TriageSample: CustomTestStringConvertible {
    var testDescription: String { event.error?.code ?? "" }
}
