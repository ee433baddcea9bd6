internal import ShuntCore
internal import ShuntSchema

extension SwitchTransition {
    var logLine: String {
        "switch \(key) (\(scope.text)): \(from.rawValue) → \(to.rawValue) (\(cause.rawValue)), variant \(variant), "
            + "version \(version): \(reason.summary)"
    }
}

extension AlertChange {
    var logLine: String {
        let group = alert.group.map(\.value).joined(separator: " ")
        let telling = untold.map { ", not told: \($0.name)\($0.by.map { " by \($0)" } ?? "")" } ?? ""
        return "alert \(alert.id) (\(alert.rule), \(group)): \(input.rawValue), now \(alert.phase.rawValue), "
            + "switch decision \(alert.decision.name)\(telling)"
    }
}
