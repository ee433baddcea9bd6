internal import ShuntNative

/// When a notice that wasn't taken is tried again, and when it goes to the next channel.
struct RetrySchedule: Sendable, Equatable {
    /// The pause before each try but the first, in milliseconds; the last one repeats.
    var pausesMs: [Int64]
    /// After so long nothing more is tried here, in milliseconds.
    var lastsMs: Int64
    /// By how much a pause is lengthened at most, in per cent, so that what failed together doesn't come back together.
    var jitterPercent: Int64 = 20

    /// For what should wake somebody: the multi-day schedules of webhooks come too late for that.
    static let page = RetrySchedule(
        pausesMs: [2_000, 5_000, 10_000, 20_000, 40_000, 60_000],
        lastsMs: 15 * 60_000
    )

    /// For what only has to arrive some day: the schedule that Standard Webhooks suggest.
    static let record = RetrySchedule(
        pausesMs: [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 50_400_000, 72_000_000, 86_400_000],
        lastsMs: 3 * 86_400_000
    )

    /// How long to wait before the next try, in milliseconds; nil when it is the next channel's turn.
    ///
    /// - Parameters:
    ///   - verdict: what came of the last try.
    ///   - tries: how many there have been, at least 1.
    ///   - elapsedMs: how long ago the first one was.
    ///   - id: the notice's identity, which the jitter is made of: a restart waits as long as it would have.
    func pauseMs(after verdict: DeliveryVerdict, tries: Int, elapsedMs: Int64, id: String) -> Int64? {
        guard case .retry(let afterMs, let maximumTries, _) = verdict, tries < maximumTries ?? .max else { return nil }
        let base = pausesMs.isEmpty ? 0 : pausesMs[min(max(tries, 1), pausesMs.count) - 1]
        let pauseMs = max(base + jitterMs(of: base, tries: tries, id: id), afterMs ?? 0)
        return elapsedMs + pauseMs <= lastsMs ? pauseMs : nil
    }

    private func jitterMs(of base: Int64, tries: Int, id: String) -> Int64 {
        let spread = base * jitterPercent / 100
        guard spread > 0 else { return 0 }
        let random = Digest.sha256(Array("\(id)#\(tries)".utf8)).bytes.prefix(7).reduce(Int64(0)) {
            $0 << 8 | Int64($1)
        }
        return random % (spread + 1)
    }
}
