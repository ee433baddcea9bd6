/// The monotonic clock of the transport.
public enum HTTPClock {
    /// Nanoseconds since an arbitrary point; never goes back.
    public static var nowNanoseconds: Int64 { 0 }
}
