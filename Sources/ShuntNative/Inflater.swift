internal import CDeflate

/// Why a compressed body was refused.
public enum InflateError: Error, Equatable, Sendable {
    /// The bytes don't start as gzip does.
    case notGzip
    /// The data is damaged or cut short; the library doesn't tell these apart.
    case corrupt
    /// Something that isn't another gzip member follows, at this byte of the input.
    case trailingBytes(offset: Int)
    /// The content is bigger than the limit, in bytes.
    case tooLarge(maximumBytes: Int)
}

extension InflateError: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .notGzip: "not gzip data"
        case .corrupt: "gzip data is damaged or cut short"
        case .trailingBytes(let offset): "bytes after the gzip data, at byte \(offset)"
        case .tooLarge(let maximumBytes): "content is bigger than \(maximumBytes) bytes"
        }
    }
}

/// Inflates gzip bodies into a hard limit. Reusable; not to be shared between threads.
///
/// The size field of gzip is never used: it is the sender's claim, and it can say anything.
@safe
public struct Inflater: ~Copyable {
    private let handle: OpaquePointer

    /// An inflater with its tables, some ten kilobytes.
    public init() {
        guard let handle = unsafe libdeflate_alloc_decompressor() else { preconditionFailure("no memory to inflate") }
        unsafe self.handle = handle
    }

    deinit { unsafe libdeflate_free_decompressor(handle) }

    /// The content of all gzip members, one after the other.
    ///
    /// A body that would inflate to gigabytes costs at most what `maximumBytes` does: the buffer grows by fours from
    /// the size of the input and never beyond the limit.
    public mutating func inflate(_ bytes: [UInt8], maximumBytes: Int) throws(InflateError) -> [UInt8] {
        guard Inflater.startsMember(bytes, at: 0) else { throw .notGzip }
        let limit = max(0, maximumBytes)
        var capacity = min(limit, max(1024, bytes.count * 4))
        var progress = Progress()
        var output: [UInt8] = []
        while true {
            let before = output
            output = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                unsafe inflate(bytes, behind: before, into: UnsafeMutableRawBufferPointer(buffer), &progress)
                count = progress.produced
            }
            if let failure = progress.failure { throw failure }
            if progress.consumed == bytes.count { return output }
            if capacity == limit { throw .tooLarge(maximumBytes: limit) }
            // The member that didn't fit is read again: growing by fours, all attempts together cost a third more.
            capacity = min(limit, capacity * 4)
        }
    }

    private struct Progress {
        var consumed = 0
        var produced = 0
        var failure: InflateError?
    }

    /// Inflates member after member until the input ends, the buffer is full or something is wrong.
    private func inflate(
        _ bytes: [UInt8],
        behind before: [UInt8],
        into output: UnsafeMutableRawBufferPointer,
        _ progress: inout Progress
    ) {
        unsafe output.copyBytes(from: before)
        while progress.consumed < bytes.count {
            guard Inflater.startsMember(bytes, at: progress.consumed) else {
                progress.failure = .trailingBytes(offset: progress.consumed)
                return
            }
            var consumed = 0
            var produced = 0
            let result = unsafe bytes.withUnsafeBytes { input in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: input[progress.consumed...])
                let free = unsafe UnsafeMutableRawBufferPointer(rebasing: output[progress.produced...])
                return unsafe libdeflate_gzip_decompress_ex(
                    handle,
                    rest.baseAddress,
                    rest.count,
                    free.baseAddress,
                    free.count,
                    &consumed,
                    &produced
                )
            }
            if result == LIBDEFLATE_INSUFFICIENT_SPACE { return }
            guard result == LIBDEFLATE_SUCCESS else {
                progress.failure = .corrupt
                return
            }
            progress.consumed += consumed
            progress.produced += produced
        }
    }

    private static func startsMember(_ bytes: [UInt8], at offset: Int) -> Bool {
        bytes.count >= offset + 2 && bytes[offset] == 0x1F && bytes[offset + 1] == 0x8B
    }
}

/// Compresses to gzip. Reusable; not to be shared between threads.
@safe
public struct Deflater: ~Copyable {
    private let handle: OpaquePointer

    /// A deflater of the given level: 1 is fastest, 12 is smallest.
    public init(level: Int = 6) {
        guard let handle = unsafe libdeflate_alloc_compressor(Int32(max(1, min(level, 12)))) else {
            preconditionFailure("no memory to deflate")
        }
        unsafe self.handle = handle
    }

    deinit { unsafe libdeflate_free_compressor(handle) }

    /// The bytes as one gzip member.
    public mutating func gzip(_ bytes: [UInt8]) -> [UInt8] {
        let handle = unsafe handle
        let bound = unsafe libdeflate_gzip_compress_bound(handle, bytes.count)
        return unsafe [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            count = unsafe bytes.withUnsafeBytes {
                unsafe libdeflate_gzip_compress(handle, $0.baseAddress, $0.count, buffer.baseAddress, buffer.count)
            }
        }
    }
}
