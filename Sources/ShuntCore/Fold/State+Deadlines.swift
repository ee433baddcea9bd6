public import ShuntSchema

extension State {
    /// Whether something is due at that time, so that a tick then is worth an entry.
    ///
    /// Sharpens `deadlineFloor` on the way, which is no part of what the state says.
    public mutating func isDue(at: Timestamp) -> Bool {
        !findDue(until: at).isEmpty
    }

    /// When something will be due even if nothing more comes in; nil when nothing will.
    public var nextDeadline: Timestamp? {
        rules.lazy.compactMap(\.nextDeadline).min()
    }

    /// An alert whose end has come.
    struct DueAlert {
        var at: Timestamp
        var rule: Int
        var position: Int
    }

    /// Everything that is due by that time, earliest first; ties in the order of rules and groups.
    ///
    /// Sharpens the floors on the way. The end of one alert moves no other's, so one look finds them all.
    mutating func findDue(until end: Timestamp) -> [DueAlert] {
        guard let deadlineFloor, deadlineFloor <= end else { return [] }
        var due: [DueAlert] = []
        var floor: Timestamp?
        for number in rules.indices {
            due += rules[number].dueAlerts(until: end, floor: &floor).map {
                DueAlert(at: $0.at, rule: number, position: $0.position)
            }
        }
        due.sort { left, right in
            guard (left.at, left.rule) == (right.at, right.rule) else {
                return (left.at, left.rule) < (right.at, right.rule)
            }
            return rules[left.rule].isOrdered(left.position, before: right.position)
        }
        self.deadlineFloor = due.first?.at ?? floor
        return due
    }

    /// Ends alerts, each at its own time.
    mutating func end(_ due: [DueAlert], effects: inout EffectList) {
        guard !due.isEmpty else { return }
        for alert in due {
            change(rule: alert.rule, position: alert.position, input: .subsided, at: alert.at, effects: &effects)
        }
        deadlineFloor = rules.lazy.compactMap(\.deadlineFloor).min()
    }

    mutating func lowerFloor(to floor: Timestamp?) {
        guard let floor else { return }
        deadlineFloor = deadlineFloor.map { min($0, floor) } ?? floor
    }
}
