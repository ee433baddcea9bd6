internal import ShuntSchema

extension PaymentEvent {
    /// Puts the context in order again after its keys were changed.
    ///
    /// Keys that redaction made equal are told apart by a number: an object with one key twice isn't JSON that can be
    /// read back.
    mutating func orderContext() {
        guard !context.isEmpty else { return }
        var taken: Set<String> = []
        for position in context.indices {
            let key = context[position].key
            var number = 1
            while !taken.insert(context[position].key).inserted {
                number += 1
                context[position].key = "\(key) \(number)"
            }
        }
        context.sort { $0.key < $1.key }
    }
}
