internal import ShuntCore
internal import Synchronization

/// The diagnoses in force. They advise and decide nothing, so the journal doesn't keep them, and a reload of the rules
/// folder swaps them even where no rule changed.
final class TriageBook: Sendable {
    private let held: Mutex<[Diagnosis]>

    init(_ diagnoses: [Diagnosis] = []) {
        held = Mutex(diagnoses)
    }

    /// The diagnoses in force, in the order of their files.
    var diagnoses: [Diagnosis] { held.withLock { $0 } }

    /// Puts others in force.
    func swap(_ diagnoses: [Diagnosis]) {
        held.withLock { $0 = diagnoses }
    }

    /// Those that fit, the likeliest first.
    func matches(_ subject: TriageSubject) -> [DiagnosisMatch] {
        DiagnosisMatch.ranked(diagnoses, for: subject)
    }
}
