/// Finds card numbers in a text. Time is linear in the text; nothing is allocated unless something is found.
///
/// A *run* is digits with at most one separator between two digits; a *group* is digits without separator. A card
/// number is a window of whole groups of one run: either the whole run, however it is cut (`4 1 1 1…`), or a part of it
/// that is cut like a card (groups of at least three digits, but for the last), so that a list of small numbers isn't
/// read as one. Windows that overlap are taken out together.
struct CardScanner {
    private let field: RedactedField
    private(set) var spans: [RedactedSpan] = []

    init(as field: RedactedField) {
        self.field = field
    }

    /// Scans the whole text.
    mutating func scan(_ bytes: Span<UInt8>) {
        var index = 0
        var isWordStart = true
        while index < bytes.count {
            if isWordStart, let end = OpaqueNumber.end(at: index, in: bytes) {
                index = end
                isWordStart = false
                continue
            }
            let unit = TextUnit.at(index, in: bytes)
            if unit.kind == .digit {
                index = scanRun(from: index, bytes)
                isWordStart = false
            } else {
                index += unit.length
                isWordStart = unit.kind != .letter
            }
        }
    }

    // MARK: A run

    /// Where a run ends and what stands behind it.
    private struct Run {
        var end: Int
        /// A letter follows: the last group is part of a word.
        var closesJoined: Bool
    }

    /// Scans the run that starts at `start` and returns where it ends.
    private mutating func scanRun(from start: Int, _ bytes: Span<UInt8>) -> Int {
        let (end, digits) = measureRun(from: start, bytes)
        guard digits >= CardRange.lengths.lowerBound else { return end }
        let run = Run(end: end, closesJoined: isJoinedAfter(end, bytes))
        let opensJoined = isJoinedBefore(start, bytes)
        var covered = end
        var group = start
        var followsDot = false
        while group < end {
            var span: RedactedSpan?
            if group != start || !opensJoined {
                span = card(from: group, isRunStart: group == start, followsDot: followsDot, in: run, bytes)
            }
            if span == nil, group == start { span = cardBehindEscape(from: start, in: run, bytes) }
            if let span {
                keep(span)
                covered = max(covered, span.range.upperBound)
            }
            (group, followsDot) = nextGroup(after: group, end: end, bytes)
        }
        return covered
    }

    /// Keeps a finding; those that overlap become one.
    private mutating func keep(_ span: RedactedSpan) {
        guard let last = spans.last, span.range.lowerBound < last.range.upperBound else {
            spans.append(span)
            return
        }
        guard span.range.upperBound > last.range.upperBound else { return }
        spans[spans.count - 1] = RedactedSpan(
            range: last.range.lowerBound..<span.range.upperBound,
            kind: last.kind == .track ? .track : span.kind,
            lastFour: span.lastFour,
            isTestCard: last.isTestCard || span.isTestCard
        )
    }

    /// The first digits behind a percent sign may be an escape (`%22`, `%2520`) and not the number's own.
    private func cardBehindEscape(from start: Int, in run: Run, _ bytes: Span<UInt8>) -> RedactedSpan? {
        func behind(_ count: Int) -> RedactedSpan? {
            guard start + count < run.end else { return nil }
            return card(from: start + count, isRunStart: true, followsDot: false, in: run, bytes)
        }
        if start > 0, bytes[start - 1] == 0x25 {
            if let span = behind(2) { return span }
            return bytes[start] == 0x32 && bytes[start + 1] == 0x35 ? behind(4) : nil
        }
        let followsHalfEscape = start > 1 && bytes[start - 2] == 0x25
        return followsHalfEscape && TextUnit.hexadecimalValue(bytes[start - 1]) != nil ? behind(1) : nil
    }

    private func measureRun(from start: Int, _ bytes: Span<UInt8>) -> (end: Int, digits: Int) {
        var digits = 0
        var end = start
        var index = start
        while index < bytes.count {
            let unit = TextUnit.at(index, in: bytes)
            switch unit.kind {
            case .digit:
                digits += 1
                index += unit.length
                end = index
            case .separator, .dot:
                index += unit.length
                guard index < bytes.count, TextUnit.at(index, in: bytes).kind == .digit,
                    OpaqueNumber.end(at: index, in: bytes) == nil
                else { return (end, digits) }
            case .letter, .other:
                return (end, digits)
            }
        }
        return (end, digits)
    }

    private func nextGroup(after group: Int, end: Int, _ bytes: Span<UInt8>) -> (start: Int, isDotted: Bool) {
        var index = group
        while index < end {
            let unit = TextUnit.at(index, in: bytes)
            index += unit.length
            if unit.kind != .digit { return (index, unit.kind == .dot) }
        }
        return (end, false)
    }

    // MARK: A window

    /// The longest card number that starts at a group.
    private func card(from start: Int, isRunStart: Bool, followsDot: Bool, in run: Run, _ bytes: Span<UInt8>)
        -> RedactedSpan?
    {
        var check = CheckDigit()
        var firstFour = 0
        var groupLength = 0
        var dots = 0
        var separators = 0
        var isCutLikeACard = true
        var best: RedactedSpan?
        var index = start
        while index < run.end {
            let unit = TextUnit.at(index, in: bytes)
            guard unit.kind == .digit else {
                if groupLength < 3 { isCutLikeACard = false }
                guard isCutLikeACard || isRunStart else { return best }
                if unit.kind == .dot { dots += 1 } else { separators += 1 }
                groupLength = 0
                index += unit.length
                continue
            }
            if check.count == CardRange.lengths.upperBound { return best }
            check.feed(unit.value)
            groupLength += 1
            if check.count == 4 {
                firstFour = Int(check.number)
                guard CardRange.mayBeIssued(firstFour: firstFour) else { return nil }
            }
            index += unit.length
            guard check.count >= CardRange.lengths.lowerBound else { continue }
            let rightUnit = index < run.end ? TextUnit.at(index, in: bytes) : nil
            guard rightUnit?.kind != .digit else { continue }
            if rightUnit == nil, run.closesJoined { continue }
            guard isCutLikeACard || rightUnit == nil else { continue }
            guard admits(check, firstFour: firstFour, start: start, bytes) else { continue }
            // One dot and nothing else is a decimal number, inside the window or at either edge of it.
            if dots == 1, separators == 0, isDecimal(from: start, to: index, bytes) { continue }
            if followsDot, isDecimalPoint(at: start - 1, bytes) { continue }
            if rightUnit?.kind == .dot, isDecimalPoint(at: index, bytes) { continue }
            best = span(from: start, to: index, check, bytes)
        }
        return best
    }

    private func admits(_ check: CheckDigit, firstFour: Int, start: Int, _ bytes: Span<UInt8>) -> Bool {
        switch CardRange.verdict(firstFour: firstFour, length: check.count) {
        case .notACard: return false
        case .evenWithoutCheckDigit: if field == .freeText { return true }
        case .withCheckDigit: break
        }
        guard check.isValid else { return false }
        let followsPlus = start > 0 && bytes[start - 1] == 0x2B
        return !(followsPlus && CardRange.looksLikePhone(firstFour: firstFour, length: check.count))
    }

    private func span(from start: Int, to end: Int, _ check: CheckDigit, _ bytes: Span<UInt8>) -> RedactedSpan {
        let trackEnd = TrackData.end(from: start, cardEnd: end, in: bytes)
        return RedactedSpan(
            range: start..<(trackEnd ?? end),
            kind: trackEnd == nil ? .cardNumber : .track,
            lastFour: Int(check.number % 10_000),
            isTestCard: CardRange.isTestCard(check.number)
        )
    }

    // MARK: Surroundings

    /// Whether the digit at `index` continues a word. An underscore doesn't join: `_4111…` is how numbers slip through.
    private func isJoinedBefore(_ index: Int, _ bytes: Span<UInt8>) -> Bool {
        guard index > 0 else { return false }
        let previous = bytes[index - 1]
        guard (previous | 0x20) &- 0x61 < 26 else { return false }
        if previous == 0x42, index > 1, bytes[index - 2] == 0x25 { return false }  // %B opens track 1
        if index > 2, bytes[index - 3] == 0x25, TextUnit.hexadecimalValue(bytes[index - 2]) != nil {
            return TextUnit.hexadecimalValue(previous) == nil  // %3D is an escape, not a word
        }
        return !isEscapedControl(before: index, bytes) && !isEscapedScalar(before: index, bytes)
    }

    /// Whether a `\n` or the like ends right before `index`.
    private func isEscapedControl(before index: Int, _ bytes: Span<UInt8>) -> Bool {
        guard index > 1, bytes[index - 2] == 0x5C else { return false }
        switch bytes[index - 1] {
        case 0x6E, 0x74, 0x72, 0x62, 0x66: return true
        default: return false
        }
    }

    /// Whether a `\uXXXX` ends right before `index`.
    private func isEscapedScalar(before index: Int, _ bytes: Span<UInt8>) -> Bool {
        index > 5 && bytes[index - 5] == 0x75 && bytes[index - 6] == 0x5C
            && TextUnit.hexadecimal(index - 4, count: 4, in: bytes) != nil
    }

    private func isJoinedAfter(_ index: Int, _ bytes: Span<UInt8>) -> Bool {
        guard index < bytes.count, TextUnit.at(index, in: bytes).kind == .letter else { return false }
        return !TrackData.separates(at: index, in: bytes)
    }

    private func isDecimal(from start: Int, to end: Int, _ bytes: Span<UInt8>) -> Bool {
        var index = start
        while index < end {
            let unit = TextUnit.at(index, in: bytes)
            if unit.kind == .dot { return isDecimalPoint(at: index, bytes) }
            index += unit.length
        }
        return false
    }

    /// Whether the dot at `index` is the only one in its chain of digits and dots. Looks at most 24 bytes either way.
    private func isDecimalPoint(at index: Int, _ bytes: Span<UInt8>) -> Bool {
        var left = index - 1
        while left >= 0, index - left <= 24, bytes[left] &- 0x30 < 10 { left -= 1 }
        if left > 0, bytes[left] == 0x2E, bytes[left - 1] &- 0x30 < 10 { return false }
        var right = index + 1
        while right < bytes.count, right - index <= 24, bytes[right] &- 0x30 < 10 { right += 1 }
        return !(right + 1 < bytes.count && bytes[right] == 0x2E && bytes[right + 1] &- 0x30 < 10)
    }
}
