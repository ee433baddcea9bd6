/// A request target (RFC 9112 3.2), split and checked.
struct HTTPTarget: Equatable {
    /// The path, percent-decoded; begins with `/`, or is `*`.
    var path: String
    /// The query as sent, without `?`.
    var query: [UInt8]

    /// Splits a target in origin, absolute (`http` only) or asterisk form; nil if it's malformed.
    init?(_ bytes: Span<UInt8>) {
        var start = 0
        if bytes.count >= 7, HTTPBytes.equalWithoutCase(bytes.extracting(0..<7), "http://") {
            start = 7
            while start < bytes.count, bytes[start] != 0x2f, bytes[start] != 0x3f { start += 1 }
        }
        var index = start
        var escaped = false
        while index < bytes.count, bytes[index] != 0x3f {
            guard Self.isAllowed(bytes[index]) else { return nil }
            if bytes[index] == 0x25 { escaped = true }
            index += 1
        }
        let pathBytes = bytes.extracting(start..<index)
        if index < bytes.count {
            let queryBytes = bytes.extracting(index + 1..<bytes.count)
            for position in queryBytes.indices where !Self.isAllowed(queryBytes[position]) { return nil }
            query = unsafe queryBytes.withUnsafeBufferPointer { unsafe Array($0) }
        } else {
            query = []
        }
        if pathBytes.isEmpty {
            guard start > 0 else { return nil }
            path = "/"
        } else if pathBytes[0] == 0x2f {
            guard escaped else {
                path = HTTPBytes.string(pathBytes)
                return
            }
            guard let decoded = Self.decode(pathBytes, plusIsSpace: false, isStrict: true) else { return nil }
            path = decoded
        } else {
            guard pathBytes.count == 1, pathBytes[0] == 0x2a else { return nil }
            path = "*"
        }
    }

    /// Visible ASCII other than `#`: a fragment isn't sent, and anything else must be escaped.
    @inline(__always)
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7f && byte != 0x23
    }

    /// Undoes percent-encoding. Strictly, a broken triplet, an escaped NUL or broken UTF-8 gives nil; otherwise a broken
    /// triplet stays as it is and broken UTF-8 becomes U+FFFD.
    static func decode(_ bytes: Span<UInt8>, plusIsSpace: Bool, isStrict: Bool) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x25, index + 2 < bytes.count, let high = HTTPBytes.hexadecimal(bytes[index + 1]),
                let low = HTTPBytes.hexadecimal(bytes[index + 2])
            {
                let value = high << 4 | low
                if isStrict, value == 0 { return nil }
                decoded.append(value)
                index += 3
                continue
            }
            if byte == 0x25, isStrict { return nil }
            decoded.append(plusIsSpace && byte == 0x2b ? 0x20 : byte)
            index += 1
        }
        return isStrict ? String(validating: decoded, as: UTF8.self) : String(decoding: decoded, as: UTF8.self)
    }

    /// Calls `body` with each parameter of a query, decoded, until it returns false.
    static func forEachPair(in query: [UInt8], _ body: (_ name: String, _ value: String) -> Bool) {
        let bytes = query.span
        var start = 0
        while start <= bytes.count {
            var end = start
            var equals: Int?
            while end < bytes.count, bytes[end] != 0x26 {
                if bytes[end] == 0x3d, equals == nil { equals = end }
                end += 1
            }
            if end > start {
                let nameBytes = bytes.extracting(start..<(equals ?? end))
                let valueBytes = bytes.extracting((equals.map { $0 + 1 } ?? end)..<end)
                let name = decode(nameBytes, plusIsSpace: true, isStrict: false) ?? ""
                let value = decode(valueBytes, plusIsSpace: true, isStrict: false) ?? ""
                guard body(name, value) else { return }
            }
            start = end + 1
        }
    }
}
