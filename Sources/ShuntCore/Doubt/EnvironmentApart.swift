internal import ShuntSchema

extension PaymentEvent {
    /// Where payments of simulators are shown that say they were made in production.
    static let simulatorEnvironment = "simulator"

    /// What Apple's simulator gives as a device's model: the processor that it runs on.
    private static let simulatorModels = ["x86_64", "arm64", "i386"]

    /// The environment that an event belongs to although its reporter says production; nil where it says right.
    ///
    /// A build with a live merchant identifier reports production even in a simulator: no payer is behind it, so it
    /// mustn't weigh with those who pay.
    func environmentApart(meaning classification: Classification) -> String? {
        guard environment == Self.defaultEnvironment else { return nil }
        let isSimulator = deviceModel.map { model in
            Self.simulatorModels.contains(model) || model.hasPrefix("Simulator") || model.hasSuffix("Simulator")
        }
        return isSimulator ?? false || classification.environmentHint == .test ? Self.simulatorEnvironment : nil
    }
}
