internal import ShuntCore

extension NoticeLanguage {
    /// Why a switch stayed as it was.
    func reason(_ hold: SwitchHold, switch key: String) -> String {
        switch self {
        case .english: hold.sentence(switch: key)
        case .chinese: chinese(hold, key)
        }
    }

    private func chinese(_ hold: SwitchHold, _ key: String) -> String {
        switch hold {
        case .alreadyDegraded: "开关 \(key) 已处于降级状态"
        case .alreadyNormal: "开关 \(key) 已处于正常状态"
        case .locked: "开关 \(key) 触发过于频繁，已锁定；需人工恢复后解锁"
        case .disarmed: "开关 \(key) 已停用自动触发"
        case .minimumDwell: "开关 \(key) 刚刚恢复正常"
        case .blastRadius: "将超出开关 \(key) 允许降级的支付者比例"
        case .outOfTurn: "开关 \(key) 处于其他阶段"
        case .tooManyScopes: "开关的范围数量已达上限"
        case .unknownSwitch: "没有名为 \(key) 的开关"
        case .unknownVariant: "开关 \(key) 没有该路线"
        case .notOverridden: "开关 \(key) 在该范围没有人工指定"
        case .alreadyInMode: "开关 \(key) 已处于该模式"
        case .tooFewInstalls: "涉及的独立安装数过少"
        case .untrusted: "超过一半的失败来自 App 内置令牌，可信度不足"
        case .shareTooLow: "失败率未达到要求"
        case .bothRoutesBad: "另一条路线同样失败过多"
        }
    }

    /// What made a switch move.
    func cause(_ cause: SwitchCause) -> String {
        switch cause {
        case .ruleTrips: say("a rule's threshold was crossed", "规则触发")
        case .operatorTrips: say("degraded by a person", "人工降级")
        case .operatorRestores: say("restored by a person", "人工恢复")
        case .disarmed: say("its automation was taken away", "自动触发已停用")
        case .coolDownEnds: say("the cool-down has ended, a few payers try the normal route", "冷却结束，开始灰度探测")
        case .probeIsGood: say("those who tried the normal route did well", "灰度探测正常")
        case .probeIsBad: say("those who tried the normal route failed", "灰度探测失败")
        case .probeIsUnknown: say("too few tried the normal route to tell", "灰度探测样本不足")
        case .askPerson: say("recovery can't be verified, a person must decide", "无法确认恢复，需人工决定")
        case .overrideSet: say("overridden by a person", "人工指定")
        case .overrideCleared: say("the override was taken back", "人工指定已撤销")
        case .overrideExpired: say("the override has ended", "人工指定已到期")
        case .modeChanged: say("its mode has changed", "模式已变更")
        }
    }
}
