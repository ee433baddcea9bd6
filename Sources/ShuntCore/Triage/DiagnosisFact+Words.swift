extension DiagnosisFact {
    /// The fact as a person reads it.
    public var words: TriageText {
        switch self {
        case .condition(let condition):
            return TriageText(english: condition.text, chinese: condition.text)
        case .text(let texts):
            let list = texts.map { "\"\($0)\"" }.joined(separator: " / ")
            return TriageText(english: "the message says \(list)", chinese: "错误信息包含 \(list)")
        case .underlying(let domain, let codes):
            let name = codes.isEmpty ? domain : "\(domain) \(codes.joined(separator: " / "))"
            return TriageText(english: "the underlying error is \(name)", chinese: "底层错误为 \(name)")
        case .context(let key, let values):
            let list = values.joined(separator: " / ")
            return TriageText(english: "context.\(key): \(list)", chinese: "context.\(key): \(list)")
        case .failures(let least):
            return TriageText(english: "at least \(least) failures", chinese: "失败不少于 \(least) 笔")
        case .share(let range):
            return share(range)
        case .fineIn(let name):
            return TriageText(
                english: "\(name) has traffic and doesn't fail like this",
                chinese: "\(name) 环境有流量且无此失败"
            )
        case .newInVersion:
            return TriageText(
                english: "older versions of the app don't fail like this",
                chinese: "旧版本 App 无此失败"
            )
        case .pattern(.steady):
            return TriageText(english: "a steady rate, hour after hour", chinese: "各小时失败数平稳")
        case .pattern(.burst):
            return TriageText(english: "a burst in the last hour", chinese: "最近一小时突增")
        case .merchantIdSpelling:
            return TriageText(
                english: "merchant identifiers differ by case or end with a dot",
                chinese: "商户标识大小写不一致，或末尾多出一个点"
            )
        }
    }

    private func share(_ range: NumberRange) -> TriageText {
        switch (range.lower, range.upper) {
        case (let lower?, let upper?):
            TriageText(
                english: "\(lower) to \(upper) % of attempts fail",
                chinese: "失败率 \(lower)–\(upper) %"
            )
        case (let lower?, nil):
            TriageText(english: "at least \(lower) % of attempts fail", chinese: "失败率不低于 \(lower) %")
        case (nil, let upper?):
            TriageText(english: "at most \(upper) % of attempts fail", chinese: "失败率不高于 \(upper) %")
        case (nil, nil):
            TriageText(english: "attempts are known", chinese: "已知尝试次数")
        }
    }
}
