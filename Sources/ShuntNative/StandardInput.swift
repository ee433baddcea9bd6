internal import Glibc

/// The process's standard input, as a person answers on it.
public enum StandardInput {
    /// Whether a person can answer.
    public static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// Reads one line, without its end; nil when there is nothing more. At most 1,000 bytes count.
    public static func readLine() -> String? {
        var bytes: [UInt8] = []
        while bytes.count < 1_000 {
            var byte: UInt8 = 0
            let count = unsafe withUnsafeMutableBytes(of: &byte) { unsafe Glibc.read(STDIN_FILENO, $0.baseAddress, 1) }
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
            if byte == UInt8(ascii: "\n") { break }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
