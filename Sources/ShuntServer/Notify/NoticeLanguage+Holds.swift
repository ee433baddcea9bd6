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
}
