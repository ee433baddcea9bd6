public import ShuntCore

/// A cause in words that a person would say, e.g. `97 % are app 4.2.0 on iOS 17.4 (normally 11 %), region CN`.
public struct CauseText: Sendable {
    let language: NoticeLanguage

    /// Words in English.
    public static let english = CauseText(language: .english)
    /// Words in Simplified Chinese.
    public static let chinese = CauseText(language: .chinese)

    /// One cause.
    ///
    /// - Parameters:
    ///   - cause: The cause.
    ///   - rank: Its place, from 0: a later one is a share of what the earlier ones leave, and says so.
    public func sentence(_ cause: Cause, rank: Int = 0) -> String {
        let share = Self.percent(cause.share)
        let phrases = phrases(cause.attributes)
        var text =
            rank == 0
            ? language.say("\(share) are ", "\(share) 来自 ")
            : language.say("\(share) of the rest are ", "其余的 \(share) 来自 ")
        text += phrases[0] + language.bracketed(normally(cause))
        if phrases.count > 1 {
            text += phrases.dropFirst().map { language.say(", ", "，") + $0 }.joined()
        }
        guard cause.isAtLeast else { return text }
        text = language.say("at least: ", "至少：") + text
        guard let refinement = cause.refinement else { return text }
        let next = self.phrases([refinement])[0]
        return text + language.say("; perhaps only \(next)", "；可能仅限 \(next)")
    }

    /// Why there is no cause.
    public func nothing(_ localisation: Localisation) -> String {
        localisation.verdict == .tooFew
            ? language.say("too few failures to say (\(localisation.count))", "失败太少，无法判断（\(localisation.count)）")
            : language.say("nothing stands out against the baseline", "与平时相比没有突出的共同点")
    }

    private func normally(_ cause: Cause) -> String {
        guard let share = cause.baselineShare else { return language.say("nothing to compare with", "无基线可比") }
        return language.say("normally \(Self.percent(share))", "平时 \(Self.percent(share))")
    }

    /// A whole number of percent; a part is never said to be all or none.
    static func percent(_ share: Double) -> String {
        if share <= 0 { return "0 %" }
        if share < 0.01 { return "< 1 %" }
        if share >= 1 { return "100 %" }
        return "\(min(Int((share * 100).rounded()), 99)) %"
    }

    /// What belongs together joined: the app and the system that it runs on come first.
    func phrases(_ attributes: [Cause.Attribute]) -> [String] {
        func value(_ name: String) -> String? { attributes.first { $0.name == name }?.value.visible }
        var phrases: [String] = []
        let version = value("app.version")
        let build = value("app.build")
        let app: String? =
            switch (version, build) {
            case (let version?, let build?):
                language.say("app \(version) (build \(build))", "App \(version)（构建 \(build)）")
            case (let version?, nil): language.say("app \(version)", "App \(version)")
            case (nil, let build?): language.say("app build \(build)", "App 构建 \(build)")
            case (nil, nil): nil
            }
        let system: String? =
            switch (value("os.name"), value("os.version")) {
            case (let name?, let version?): "\(name) \(version)"
            case (let name?, nil): name
            case (nil, let version?): language.say("OS \(version)", "系统版本 \(version)")
            case (nil, nil): nil
            }
        switch (app, system) {
        case (let app?, let system?): phrases.append(language.say("\(app) on \(system)", "\(app)、\(system)"))
        case (let app?, nil): phrases.append(app)
        case (nil, let system?): phrases.append(system)
        case (nil, nil): break
        }
        let code: String? =
            switch (value("error.domain"), value("error.code")) {
            case (let domain?, let code?): language.say("error \(domain)/\(code)", "错误 \(domain)/\(code)")
            case (let domain?, nil): language.say("errors of \(domain)", "\(domain) 的错误")
            case (nil, let code?): language.say("error \(code)", "错误码 \(code)")
            case (nil, nil): nil
            }
        if let code { phrases.append(code) }
        let joined = ["app.version", "app.build", "os.name", "os.version", "error.domain", "error.code"]
        for attribute in attributes where !joined.contains(attribute.name) { phrases.append(phrase(attribute)) }
        return phrases
    }

    private func phrase(_ attribute: Cause.Attribute) -> String {
        let value = attribute.value.visible
        return switch attribute.name {
        case "stage": language.say("stage \(value)", "阶段 \(value)")
        case "error.httpStatus": "HTTP \(value)"
        case "deviceModel": language.say("device \(value)", "机型 \(value)")
        case "network": language.say("card network \(value)", "卡组织 \(value)")
        case "psp": language.say("provider \(value)", "支付服务商 \(value)")
        case "region": language.say("region \(value)", "地区 \(value)")
        case "merchantId": language.say("merchant \(value)", "商户 \(value)")
        case "requestHost": language.say("host \(value)", "主机 \(value)")
        case "issuerBin": language.say("issuer BIN \(value)", "发卡行 BIN \(value)")
        case "networkType": language.say("connection \(value)", "网络类型 \(value)")
        default: "\(attribute.name.visible) \(value)"
        }
    }
}
