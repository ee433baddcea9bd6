internal import ShuntNative
internal import ShuntSchema

/// The members of an event, in the words of the contract.
enum EventField: Int, CaseIterable {
    case eventId, occurredAt, source, environment, paymentMethod, network, psp, route, stage, outcome, error
    case attemptId, orderRef, pspReference, installId, traceId, switchVersion, app, os, deviceModel, region
    case merchantId, amount, durationMs, bodyBytes, tokenVersion, requestHost, context, kind, from, to, count

    static let vocabulary = JSONVocabulary(allCases.map { "\($0)" })
    /// Each one's JSON pointer, made once: naming a case at run time costs more than reading the member.
    static let pointers = allCases.map { "/\($0)" }
}

/// The members of an event's `error`.
enum ErrorField: Int, CaseIterable {
    case domain, code, subcode, message, httpStatus, underlying

    static let vocabulary = JSONVocabulary(allCases.map { "\($0)" })
    static let pointers = allCases.map { "/error/\($0)" }
}

/// The words of the enumerations that events use, in the order of their cases.
enum EventWords {
    static let stages = JSONVocabulary(Stage.allCases.map(\.rawValue))
    static let outcomes = JSONVocabulary(Outcome.allCases.map(\.rawValue))
}

/// The sizes that an event's texts may have, in bytes of UTF-8, and other bounds.
enum EventLimit {
    /// What RFC 3339 can write with four digits for the year: a time outside couldn't be read back.
    static let times = Timestamp(milliseconds: 0)...Timestamp(milliseconds: 253_402_300_799_999)
    /// Names of environments, sources, regions and the like.
    static let name = 64
    /// Error domains and codes.
    static let errorKey = 200
    /// Identifiers.
    static let identifier = 256
    /// Free text; a longer one is cut, because the report matters more than its prose.
    static let message = 4096
    /// Entries of `context`.
    static let contextEntries = 32
    /// Keys of `context`.
    static let contextKey = 128
    /// Texts in `context`; longer ones are cut.
    static let contextValue = 1024
    /// Errors in `error.underlying`.
    static let underlying = 16
    /// Single payments that one counter may stand for.
    static let counts: Int64 = 1_000_000_000
}
