enum JSONDiagnosis {
    static func explain(_ bytes: Span<UInt8>, limits: JSONLimits, base: Int) -> JSONError {
        JSONError(.unexpectedByte, at: base, expected: "JSON")
    }
}
