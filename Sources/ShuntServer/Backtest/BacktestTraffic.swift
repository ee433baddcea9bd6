internal import ShuntCore
internal import ShuntSchema

/// Finds the hours in which a rule couldn't have fired, because too few payments came that it looks at.
///
/// For each slice of payers that the rule tells apart, every attempt that its conditions on payers match is counted as
/// if it had failed with one code, in a window like the rule's own. Where no slice reaches the threshold at any moment
/// of an hour, the rule was blind in that hour.
struct BacktestTraffic {
    private static let hourMs: Int64 = 3_600_000
    /// More slices of a rule are counted together, as the rule itself counts its groups.
    fileprivate static let mostSlices = 10_000

    fileprivate struct RuleTraffic {
        let rule: Rule
        let otherRoute: String?
        let payerDimensions: [Dimension]
        let need: Need
        var windows: [[String]: RecencyWindow] = [:]
        var nextSweep = Timestamp(milliseconds: .min)
        var couldFire = false
        var blindHours = 0
    }

    /// So many payments of one slice, within so many milliseconds, without which a rule can't fire.
    fileprivate struct Need {
        var count: Int
        var windowMs: Int64
        var maximumPerInstall: Int?
    }

    private let since: Timestamp
    private let warmSince: Timestamp
    private var rules: [RuleTraffic]
    /// The hour of the last event in the stretch, in hours since the Unix epoch.
    private var hour: Int64?
    private var hours = 0

    /// - Parameter since: The first hour that counts is that of the first event from here on.
    init(_ ruleSet: RuleSet, since: Timestamp) {
        self.since = since
        rules = ruleSet.rules.compactMap { rule in
            Self.need(of: rule).map {
                RuleTraffic(
                    rule: rule,
                    otherRoute: ruleSet.otherRoute(of: rule),
                    payerDimensions: rule.payerDimensions,
                    need: $0
                )
            }
        }
        warmSince = since.advanced(byMs: -(rules.map(\.need.windowMs).max() ?? 0))
    }

    /// What a rule needs at least; nil for a kind that no fixed number holds back.
    private static func need(of rule: Rule) -> Need? {
        let threshold = Need(
            count: rule.threshold,
            windowMs: rule.windowMs,
            maximumPerInstall: rule.maximumPerInstall
        )
        return switch rule.kind {
        case .count, .consecutive, .newCode, .change: threshold
        case .share(_, let attempts): Need(count: max(attempts, rule.threshold), windowMs: rule.windowMs)
        case .noSuccess(let attempts): Need(count: attempts, windowMs: rule.windowMs)
        case .burnRate(let burn): Need(count: burn.attempts, windowMs: burn.longWindowMs)
        case .unusualRate, .inDoubtAge, .inDoubtTotal, .keyLimit, .watchdog: nil
        }
    }

    mutating func note(_ event: PaymentEvent, meaning classification: Classification, at: Timestamp) {
        guard at >= warmSince else { return }
        if at >= since { turn(to: Self.hour(of: at)) }
        for number in rules.indices {
            // Once it could have fired, the hour is decided; only what the next hour's windows reach back to matters.
            let left = Self.hourMs - at.milliseconds.modulo(Self.hourMs)
            if rules[number].couldFire, left > rules[number].need.windowMs { continue }
            rules[number].note(event, meaning: classification, at: at, isJudged: at >= since)
        }
    }

    private mutating func turn(to hour: Int64) {
        guard hour != self.hour else { return }
        finishHour()
        self.hour = hour
        hours += 1
    }

    private mutating func finishHour() {
        guard hour != nil else { return }
        for number in rules.indices {
            if !rules[number].couldFire { rules[number].blindHours += 1 }
            rules[number].couldFire = false
        }
    }

    /// The blind zone of each rule that can have one. No event may be noted any more.
    mutating func finish() -> [String: BacktestBlindZone] {
        finishHour()
        hour = nil
        return Dictionary(
            rules.map { ($0.rule.id, BacktestBlindZone(blindHours: $0.blindHours, hours: hours)) }
        ) { first, _ in first }
    }

    private static func hour(of time: Timestamp) -> Int64 {
        (time.milliseconds - time.milliseconds.modulo(hourMs)) / hourMs
    }
}

extension Int64 {
    /// The rest of a division that rounds down, so never negative.
    fileprivate func modulo(_ divisor: Int64) -> Int64 {
        let rest = self % divisor
        return rest < 0 ? rest + divisor : rest
    }
}

extension BacktestTraffic.RuleTraffic {
    fileprivate mutating func note(
        _ event: PaymentEvent,
        meaning classification: Classification,
        at: Timestamp,
        isJudged: Bool
    ) {
        guard rule.concernsPayer(of: event, meaning: classification, at: at, otherRoute: otherRoute) else { return }
        var slice: [String] = []
        slice.reserveCapacity(payerDimensions.count)
        for dimension in payerDimensions {
            guard let value = dimension.value(in: event, meaning: classification) else { return }
            slice.append(value)
        }
        // One that stands for many successes is as many attempts, none of which has a name.
        let key = event.counts == nil ? event.identity(among: rule.count, at: at) : nil
        if rule.count == .installs, key == nil { return }
        let owner = need.maximumPerInstall == nil ? nil : event.identity(among: .installs, at: at)
        let times = event.counts.map { Int(clamping: min($0.count, Int64(need.count))) } ?? 1
        if windows[slice] == nil { slice = place(for: slice, at: at) }
        for _ in 0..<max(0, times) {
            windows[slice]?.record(key: key, owner: owner, at: at, maximumPerOwner: need.maximumPerInstall)
        }
        guard isJudged, let window = windows[slice] else { return }
        if window.reaches(need.count, at: at) { couldFire = true }
    }

    /// Makes room for a further slice; one beyond the limit shares a window with its like.
    private mutating func place(for slice: [String], at: Timestamp) -> [String] {
        if windows.count >= BacktestTraffic.mostSlices, at >= nextSweep {
            nextSweep = at.advanced(byMs: max(1, need.windowMs / 10))
            windows = windows.filter { !$0.value.isEmpty(at: at) }
        }
        let isFull = windows.count >= BacktestTraffic.mostSlices
        let slice = isFull ? slice.map { _ in Rule.overflowValue } : slice
        if windows[slice] == nil {
            windows[slice] = RecencyWindow(capacity: max(1, need.count), spanMs: need.windowMs)
        }
        return slice
    }
}
