public import ShuntSchema

extension Catalogue {
    /// What an event means.
    public func classify(_ event: PaymentEvent) -> Classification {
        guard let error = event.error else {
            return classify(
                domain: "unknown",
                code: "",
                stage: event.stage,
                outcome: event.outcome,
                durationMs: event.durationMs
            )
        }
        return classify(
            domain: error.domain,
            code: error.code,
            subcode: error.subcode,
            stage: event.stage,
            outcome: event.outcome,
            httpStatus: error.httpStatus,
            message: error.message,
            durationMs: event.durationMs,
            underlying: error.underlying
        )
    }

    /// What a failure means: the innermost known error, as the stage sees it.
    ///
    /// - Parameters:
    ///   - domain: The outermost error's namespace.
    ///   - code: The outermost error's code.
    ///   - subcode: A finer code of the same system; looked up first.
    ///   - stage: How far the attempt had come.
    ///   - outcome: How it ended.
    ///   - httpStatus: The status that came along; read where no system knows the code.
    ///   - message: Free text; searched for signatures where the code isn't enough.
    ///   - durationMs: How long the step took, in milliseconds; tells a payer's cancel from a sheet that closed by itself.
    ///   - underlying: The errors inside, outermost first.
    public func classify(
        domain: String,
        code: String,
        subcode: String? = nil,
        stage: Stage = .unknown,
        outcome: Outcome = .failed,
        httpStatus: Int64? = nil,
        message: String? = nil,
        durationMs: Int64? = nil,
        underlying: [UnderlyingError] = []
    ) -> Classification {
        if outcome == .succeeded || outcome == .attempted { return Self.notAFailure(outcome) }
        var candidate = innermost(domain, code, subcode, underlying)
        var facts = candidate.row.map { self.facts[Int($0)] }
        if facts?.isVague ?? true, let httpStatus, let row = row("http", String(httpStatus)) {
            candidate = Candidate(row: row, decider: .httpStatus)
            facts = self.facts[Int(row)]
        }
        var signature: Int?
        if facts?.yieldsToText ?? true {
            signature = signatures.match(message: message, code: code) { name in
                name == domain || underlying.contains { $0.domain == name }
            }
        }
        let rule = stageFacts.rule(at: stage)
        let verdict = signature.map { signatures.signatures[$0].verdict }
        var result: Classification
        if case .entry(let entry) = verdict {
            result = Self.standing(RowFacts(entry, owner: .shipped), rule, .signature)
        } else if Self.isCancel(facts, outcome, verdict) {
            result = Self.cancel(rule, durationMs)
        } else if let facts {
            result = Self.resolve(facts, stage, rule, isFromStatus: candidate.decider == .httpStatus)
        } else {
            result = unknown(code, rule)
        }
        result.row = candidate.row
        result.decider = candidate.decider
        result.signature = signature.map { Int32($0) }
        result.environmentHint = signature.flatMap { signatures.signatures[$0].environment }
        return result
    }

    // MARK: The candidate

    private struct Candidate {
        var row: Int32?
        var decider = Classification.Decider.outer
    }

    /// The innermost error that a system knows; one that is known to say nothing gives way to any that says something.
    private func innermost(
        _ domain: String,
        _ code: String,
        _ subcode: String?,
        _ underlying: [UnderlyingError]
    ) -> Candidate {
        var vague = Candidate()
        for place in stride(from: underlying.count - 1, through: 0, by: -1) {
            guard let row = row(underlying[place].domain, underlying[place].code) else { continue }
            let candidate = Candidate(row: row, decider: .underlying(Int32(place)))
            if !facts[Int(row)].isVague { return candidate }
            if vague.row == nil { vague = candidate }
        }
        if let subcode, let row = row(subcode: subcode, of: domain), !facts[Int(row)].isVague {
            return Candidate(row: row, decider: .subcode)
        }
        guard let row = row(domain, code) else { return vague }
        return facts[Int(row)].isVague && vague.row != nil ? vague : Candidate(row: row)
    }

    // MARK: Rules

    private static func notAFailure(_ outcome: Outcome) -> Classification {
        Classification(
            failureClass: .notFailure,
            retry: .notApplicable,
            switchWeight: .none,
            money: outcome == .succeeded ? .moved : .notMoved,
            reason: .notAFailure
        )
    }

    /// A row or text as it stands; only money that hangs on the stage is decided.
    private static func standing(
        _ facts: RowFacts,
        _ rule: StageFacts.Rule,
        _ reason: Classification.Reason
    ) -> Classification {
        Classification(
            failureClass: facts.failureClass,
            retry: facts.retry,
            switchWeight: facts.switchWeight,
            money: facts.money == .stage ? rule.money : facts.money,
            reason: reason
        )
    }

    private static func isCancel(_ facts: RowFacts?, _ outcome: Outcome, _ verdict: Signature.Verdict?) -> Bool {
        guard let facts else { return outcome == .cancelled || verdict == .cancel }
        if facts.dependence == .cancel { return true }
        return outcome == .cancelled && (facts.isVague || facts.dependence != nil)
    }

    private static func cancel(_ rule: StageFacts.Rule, _ durationMs: Int64?) -> Classification {
        if rule.cancel == .inDoubt {
            return Classification(
                failureClass: .inDoubt,
                retry: .queryFirst,
                switchWeight: .none,
                money: .mayHaveMoved,
                reason: .cancelAfterToken
            )
        }
        if let durationMs, durationMs < rule.quickCancelMs {
            return Classification(
                failureClass: .merchantConfig,
                retry: .afterFix,
                switchWeight: .count,
                money: .notMoved,
                reason: .quickCancel
            )
        }
        return Classification(
            failureClass: .user,
            retry: .notApplicable,
            switchWeight: .none,
            money: rule.money == .moved ? .moved : .notMoved,
            reason: .cancelBeforeToken
        )
    }

    private static func resolve(
        _ facts: RowFacts,
        _ stage: Stage,
        _ rule: StageFacts.Rule,
        isFromStatus: Bool
    ) -> Classification {
        let reason: Classification.Reason =
            isFromStatus ? .httpStatus : facts.owner == .merchant ? .merchantRow : .shippedRow
        guard facts.dependence != nil else {
            // The proof is about this request; where an earlier one had gone out it proves nothing.
            let isProofInVain = facts.provesNothingSent && rule.transportIsInDoubt && !rule.proofHolds
            return isProofInVain ? inDoubt(facts.switchWeight) : standing(facts, rule, reason)
        }
        // A row that says nothing, of a reporter that doesn't say when, stays what it is: unknown. And where a store
        // charges inside its own sheet, the sheet's stages don't make its errors harmless.
        if stage == .unknown && facts.isVague || !facts.harmlessAt.contains(stage) {
            return standing(facts, rule, reason)
        }
        return transport(facts, rule)
    }

    /// A transport fault, as the stage sees it.
    private static func transport(_ facts: RowFacts, _ rule: StageFacts.Rule) -> Classification {
        if rule.transportIsInDoubt { return inDoubt(facts.switchWeight) }
        let failureClass = rule.transportClass(facts.failureClass)
        return Classification(
            failureClass: failureClass,
            retry: facts.retry == .queryFirst && rule.money == .notMoved ? .later : facts.retry,
            switchWeight: failureClass.isTechnical ? facts.switchWeight : .none,
            money: rule.money,
            reason: .harmlessByStage
        )
    }

    /// In doubt for this order; a fault of a broken system counts for new ones all the same.
    private static func inDoubt(_ weight: SwitchWeight) -> Classification {
        Classification(
            failureClass: .inDoubt,
            retry: .queryFirst,
            switchWeight: weight,
            money: .mayHaveMoved,
            reason: .inDoubtByStage
        )
    }

    private func unknown(_ code: String, _ rule: StageFacts.Rule) -> Classification {
        if namesTransportFault(code) {
            var result = Self.transport(stageFacts.transport, rule)
            if result.reason == .harmlessByStage { result.reason = .transportCode }
            return result
        }
        let isInDoubt = rule.unknownCodeIsInDoubt
        return Classification(
            failureClass: isInDoubt ? .inDoubt : .unknown,
            retry: rule.money == .notMoved ? .later : .queryFirst,
            switchWeight: stageFacts.unknownCodeWeight,
            money: rule.money,
            reason: isInDoubt ? .unknownCodeAfterCharge : .unknownCode
        )
    }

    /// Whether a code is one of the table's words, whatever its case, `-` and `_`. Most unknown codes are numbers.
    private func namesTransportFault(_ code: String) -> Bool {
        guard let first = code.utf8.first, first.isLetter, code.utf8.count <= 40 else { return false }
        var letters = ""
        for byte in code.utf8 where byte != 0x2D && byte != 0x5F {
            letters.unicodeScalars.append(Unicode.Scalar(byte.lowercased))
        }
        return stageFacts.transportCodes.contains(letters)
    }
}
