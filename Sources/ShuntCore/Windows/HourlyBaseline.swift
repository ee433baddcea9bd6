internal import Glibc
internal import ShuntSchema

/// How often something happens in each hour of the day (UTC), learnt from the days before; and how strange a count is.
///
/// Of every hour of the day it keeps the decayed mean and spread of the counts on former days. A count is judged by the
/// chance that so many or more come under a negative binomial distribution with that mean and spread: as a Poisson
/// distribution, but for the fact that failures come in bursts.
struct HourlyBaseline: Equatable, Sendable {
    static let hourMs: Int64 = 3_600_000
    /// What a day weighs less than the day after it: half after a week.
    private static let decay = 0.9
    /// An hour is judged once it was seen on three days: 1 + 0.9 + 0.81.
    private static let leastWeight = 2.7
    /// A spread that is little more than Poisson's own can't be told from it.
    private static let largestSize = 10_000.0

    /// What is known of one hour of the day.
    struct Hour: Equatable, Sendable {
        var weight = 0.0
        var sum = 0.0
        var squares = 0.0
    }

    private(set) var hours = [Hour](repeating: Hour(), count: 24)
    /// The hour that is being counted, numbered from the beginning of 1970.
    private(set) var current: Int64
    /// What it has counted.
    private(set) var counted: Int

    /// Begins with the hour of a moment; that one isn't whole, so it isn't learnt from.
    init(from at: Timestamp) {
        current = Self.hour(of: at)
        counted = -1
    }

    /// A baseline as it was read from a snapshot.
    init(hours: [Hour], current: Int64, counted: Int) {
        self.hours = hours
        self.current = current
        self.counted = counted
    }

    /// Counts one, at a time that isn't before the last one.
    mutating func add(at: Timestamp) {
        advance(to: at)
        if counted >= 0, counted < Int(UInt32.max) { counted += 1 }
    }

    /// Learns the hours that have ended at a time, empty ones too.
    mutating func advance(to at: Timestamp) {
        let now = Self.hour(of: at)
        guard now > current else { return }
        // After 60 days without anything every hour has decayed to nothing; there is no need to go further back.
        let first = max(current, now - 24 * 60)
        for hour in first..<now {
            let count = hour == current ? counted : 0
            if count >= 0 { learn(Double(count), hour: hour) }
        }
        current = now
        counted = 0
    }

    /// The chance of as many as `count` or more within the `windowMs` before a time; nil where too little is known.
    func chance(of count: Int, windowMs: Int64, at: Timestamp) -> Double? {
        // The window may begin in the hour before.
        let begunMs = at.milliseconds % Self.hourMs
        let sinceHourMs = begunMs < 0 ? begunMs + Self.hourMs : begunMs
        let nowMs = min(windowMs, sinceHourMs)
        let parts = [(hour: Self.hour(of: at), ms: nowMs), (hour: Self.hour(of: at) - 1, ms: windowMs - nowMs)]
        var mean = 0.0
        var variance = 0.0
        for part in parts where part.ms > 0 {
            let known = hours[Self.slot(part.hour)]
            guard known.weight >= Self.leastWeight else { return nil }
            // Half a failure more in all that was seen: what never happened isn't impossible.
            let hourly = (known.sum + 0.5) / (known.weight + 0.5)
            let spread = max(0, known.squares / known.weight - known.sum / known.weight * known.sum / known.weight)
            let share = Double(part.ms) / Double(Self.hourMs)
            mean += hourly * share
            // What exceeds Poisson's own spread is a rate that varies from day to day: it grows with the square.
            variance += hourly * share + max(0, spread - hourly) * share * share
        }
        return Self.tail(count: count, mean: mean, variance: variance)
    }

    /// The chance of `count` or more under a negative binomial distribution of that mean and variance.
    ///
    /// Source: size r = mean² / (variance − mean), success chance r / (r + mean); summed from the count upwards.
    static func tail(count: Int, mean: Double, variance: Double) -> Double {
        let count = Double(count)
        // Up to the mean nothing is unusual, and the sum below would be long.
        guard count > mean, mean > 0 else { return 1 }
        let size = variance > mean ? min(mean * mean / (variance - mean), largestSize) : largestSize
        let ratio = mean / (size + mean)
        let first =
            lgamma(count + size) - lgamma(size) - lgamma(count + 1) + size * log(size / (size + mean))
            + count * log(ratio)
        var term = 1.0
        var total = 1.0
        var number = count
        while term > total * 1e-12, number < count + 100_000 {
            term *= (number + size) / (number + 1) * ratio
            total += term
            number += 1
        }
        return min(1, exp(first) * total)
    }

    private mutating func learn(_ count: Double, hour: Int64) {
        let slot = Self.slot(hour)
        hours[slot].weight = hours[slot].weight * Self.decay + 1
        hours[slot].sum = hours[slot].sum * Self.decay + count
        hours[slot].squares = hours[slot].squares * Self.decay + count * count
    }

    private static func hour(of at: Timestamp) -> Int64 {
        let hour = at.milliseconds / hourMs
        return at.milliseconds % hourMs < 0 ? hour - 1 : hour
    }

    private static func slot(_ hour: Int64) -> Int {
        let place = Int(hour % 24)
        return place < 0 ? place + 24 : place
    }
}
