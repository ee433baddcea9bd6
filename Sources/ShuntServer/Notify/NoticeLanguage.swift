internal import ShuntCore

/// The language of a channel's messages. Each phrase has its languages side by side, so that none drifts.
enum NoticeLanguage: String, CaseIterable, Sendable {
    /// English.
    case english = "en"
    /// Simplified Chinese.
    case chinese = "zh"

    func say(_ english: String, _ chinese: String) -> String {
        switch self {
        case .english: english
        case .chinese: chinese
        }
    }

    // MARK: Punctuation

    var colon: String { say(": ", "：") }

    func labelled(_ label: String, _ value: String) -> String { "\(label)\(colon)\(value)" }

    func bracketed(_ text: String) -> String { say(" (\(text))", "（\(text)）") }

    // MARK: Labels

    var whereLabel: String { say("Where", "范围") }
    var causeLabel: String { say("Likely", "可能原因") }
    var nextStepLabel: String { say("Do next", "下一步") }
    var switchLabel: String { say("Switch", "开关") }
    var codeLabel: String { say("Code", "错误码") }
    var ruleLabel: String { say("Rule", "规则") }
    var acknowledgeLabel: String { say("Acknowledge", "认领") }

    /// What a link leads to; a name of the configuration that isn't known here stays as it is.
    func linkLabel(_ name: String) -> String {
        switch name {
        case "alert": say("Alert", "告警")
        case "runbook": say("Runbook", "处理手册")
        case "dashboard": say("Dashboard", "看板")
        case "order": say("Order", "订单")
        case "trace": say("Trace", "链路")
        default: name
        }
    }

    // MARK: Marks at the beginning

    var testMark: String { say("[test] ", "[测试] ") }

    func mark(_ severity: Severity) -> String {
        switch severity {
        case .critical: say("[critical] ", "[严重] ")
        case .warning: say("[warning] ", "[警告] ")
        case .info: say("[info] ", "[提示] ")
        }
    }

    var resolvedMark: String { say("[resolved] ", "[已恢复] ") }
    var switchMark: String { say("[switch] ", "[开关] ") }

    // MARK: What fails

    func failing(_ count: Int, within window: String?) -> String {
        let number = MoneyText.grouped("\(count)")
        guard let window else {
            return say("\(number) \(count == 1 ? "payment" : "payments") failing", "\(number) 笔支付失败")
        }
        return say(
            "\(number) \(count == 1 ? "payment" : "payments") failing in \(window)",
            "\(window)内 \(number) 笔支付失败"
        )
    }

    func usual(_ count: Int) -> String {
        let number = MoneyText.grouped("\(count)")
        return bracketed(say("normally \(number)", "平时 \(number)"))
    }

    func share(_ percent: Int, of attempts: Int?) -> String {
        guard let attempts else { return say("\(percent) % of attempts", "失败率 \(percent) %") }
        let number = MoneyText.grouped("\(attempts)")
        return say("\(percent) % of \(number) attempts", "\(number) 次尝试中失败率 \(percent) %")
    }

    func threshold(_ count: Int) -> String {
        let number = MoneyText.grouped("\(count)")
        return say("fires at \(number)", "达到 \(number) 触发")
    }

    func payers(_ count: Int) -> String {
        let number = MoneyText.grouped("\(count)")
        return say("\(number) \(count == 1 ? "payer" : "payers")", "影响 \(number) 人")
    }

    func failed(_ money: String) -> String { say("\(money) failed", "失败金额 \(money)") }

    func since(_ time: String, lasting duration: String) -> String {
        say("since \(time) (\(duration))", "自 \(time)（\(duration)）")
    }

    // MARK: What happened besides

    var stillFiring: String { say("still firing", "仍在持续") }
    var mitigated: String { say("still failing natively, payers are on the other route", "原生支付仍失败，支付者已降级到其他路线") }
    func mitigated(on route: String) -> String {
        say("still failing natively, payers are on \(route)", "原生支付仍失败，支付者已降级到\(self.route(route))")
    }
    var escalated: String { say("nobody has acknowledged it", "尚无人认领") }
    func acknowledged(by actor: String?) -> String {
        guard let actor else { return say("acknowledged", "已认领") }
        return say("acknowledged by \(actor)", "\(actor) 已认领")
    }
    var isTest: String { say("A test of this channel: nothing is wrong", "通道测试：一切正常") }

    func passedOn(from channel: String) -> String {
        say("the channel \(channel) can't be reached, so it is told here", "通道 \(channel) 无法送达，改在此处通知")
    }

    func lasted(_ duration: String) -> String { say("lasted \(duration)", "持续 \(duration)") }

    func totalFailed(_ count: Int, _ money: String?) -> String {
        let number = MoneyText.grouped("\(count)")
        return say("\(number) failed", "共失败 \(number) 笔") + (money.map { bracketed($0) } ?? "")
    }

    func saved(_ count: Int) -> String {
        let number = MoneyText.grouped("\(count)")
        return say("about \(number) payments saved by the other route", "其他路线约挽回 \(number) 笔")
    }

    func ended(_ ending: Notice.Ending) -> String {
        switch ending {
        case .probe: say("recovered by probe", "灰度探测确认恢复")
        case .subsided: say("the failures ceased", "失败已消退")
        case .person(let name): say("ended by \(name)", "由 \(name) 结束")
        case .ruleChanged: say("the rule has changed", "规则已变更")
        }
    }

    // MARK: What the switch did

    func moved(_ key: String, to variant: String) -> String {
        say("\(key) payers now go to \(variant)", "\(key) 已降级到\(route(variant))")
    }

    /// A variant inside a Chinese sentence.
    private func route(_ variant: String) -> String { variant == "web" ? "网页" : " \(variant)" }

    func wouldHaveMoved(_ key: String, to variant: String?) -> String {
        guard let variant else {
            return say("NOT switched: \(key) is in dry run", "未切换：开关 \(key) 处于演练模式")
        }
        return say(
            "NOT switched: \(key) is in dry run, it would go to \(variant)",
            "未切换：开关 \(key) 处于演练模式，否则降级到\(route(variant))"
        )
    }

    func overridden(_ key: String) -> String {
        say("NOT switched: a person's override holds \(key)", "未切换：开关 \(key) 由人工指定")
    }

    func held(_ why: String) -> String { say("NOT switched: \(why)", "未切换：\(why)") }

    func version(_ number: UInt64) -> String { say("version \(number)", "版本 \(number)") }

    func moved(to variant: String, at time: String?) -> String {
        guard let time else { return "→ \(variant)" }
        return say("→ \(variant) at \(time)", "→ \(variant)，\(time)")
    }

    func next(_ step: Notice.NextStep) -> String {
        switch step {
        case .probe(let percent): say("probing \(percent) %", "灰度探测 \(percent) %")
        case .restore: say("back to normal", "全部恢复")
        case .overrideEnds: say("the override ends", "人工指定到期")
        }
    }

    func from(_ time: String, _ step: String) -> String { say("\(step) from \(time)", "\(time) 起\(step)") }

    // MARK: Durations

    /// E.g. `5 min`, `2 h 5 min`, `3 d`; under a minute in seconds.
    func duration(_ milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1000
        let minutes = seconds / 60
        let hours = minutes / 60
        if minutes == 0 { return say("\(seconds) s", "\(seconds) 秒") }
        if hours == 0 { return say("\(minutes) min", "\(minutes) 分钟") }
        if hours < 48 {
            let rest = minutes % 60
            if rest == 0 { return say("\(hours) h", "\(hours) 小时") }
            return say("\(hours) h \(rest) min", "\(hours) 小时 \(rest) 分钟")
        }
        return say("\(hours / 24) d", "\(hours / 24) 天")
    }
}
