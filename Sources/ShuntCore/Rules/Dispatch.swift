internal import ShuntSchema

/// Finds, among many lists of conditions, those that an event can meet, without looking at each.
///
/// Of each list one condition that wants certain values is its label. An event names the lists whose label it bears, by
/// one lookup for each attribute that labels are of; the few that have no label are always among them.
struct Dispatch: Sendable {
    private struct Label: Sendable {
        var dimension: Dimension
        var lists: [String: [Int]]
    }

    private var labels: [Label] = []
    private var unlabelled: [Int] = []

    /// With no lists.
    init() {}

    /// - Parameter conditions: the lists, each to be met as a whole.
    init(_ conditions: [[Condition]]) {
        for (number, list) in conditions.enumerated() {
            guard let (dimension, values) = Self.label(of: list) else {
                unlabelled.append(number)
                continue
            }
            let place: Int
            if let known = labels.firstIndex(where: { $0.dimension == dimension }) {
                place = known
            } else {
                place = labels.count
                labels.append(Label(dimension: dimension, lists: [:]))
            }
            for value in Set(values) { labels[place].lists[value, default: []].append(number) }
        }
    }

    /// Calls `body` with the number of each list that the event may meet, in their order.
    func forEach(_ event: PaymentEvent, meaning classification: Classification, _ body: (Int) -> Void) {
        var found = unlabelled
        for label in labels {
            guard let value = label.dimension.value(in: event, meaning: classification),
                let numbers = label.lists[value]
            else { continue }
            found += numbers
        }
        if !labels.isEmpty { found.sort() }
        for number in found { body(number) }
    }

    /// The condition of a list that the fewest events meet, as far as can be told: the one with an attribute of the most
    /// values, and of those the one that wants the fewest.
    private static func label(of list: [Condition]) -> (Dimension, [String])? {
        var best: (dimension: Dimension, values: [String])?
        for condition in list {
            guard case .oneOf(let values) = condition.test else { continue }
            guard let known = best else {
                best = (condition.dimension, values)
                continue
            }
            let ranks = (rank(condition.dimension), rank(known.dimension))
            if ranks.0 < ranks.1 || ranks.0 == ranks.1 && values.count < known.values.count {
                best = (condition.dimension, values)
            }
        }
        return best.map { ($0.dimension, $0.values) }
    }

    /// How telling an attribute is; less is more.
    private static func rank(_ dimension: Dimension) -> Int {
        switch dimension {
        case .environment, .outcome, .switchWeight, .money, .failureClass, .paymentMethod, .source, .osName: 3
        case .stage, .network, .route: 2
        case .errorDomain, .region, .psp: 1
        default: 0
        }
    }
}
