import ShuntCore
import ShuntSchema
import Testing

@Suite struct CatalogueTests {
    @Test func `the shipped files hold 727 rows, fit together, and every row is found under its own name`() throws {
        let catalogue = try CatalogueFiles.shipped.get()
        #expect(catalogue.problems == [])
        #expect(catalogue.count == 727)
        #expect(Set(Stage.allCases) == Set(try CatalogueFiles.stages().rules.keys))
        for file in [
            "iso8583", "unionpay", "applepay", "storekit", "nsurlerror", "http", "stripe", "adyen", "braintree",
            "threeds", "iso20022", "appstore",
        ] {
            for system in try CatalogueFiles.systems(CatalogueFiles.read("\(file).yaml")) {
                for row in system.rows {
                    let code = row.code.wholeMatch(of: /(\d+)-\d+/).map { String($0.1) } ?? row.code
                    let match = catalogue.match(domain: system.name, code: code)
                    #expect(match?.entry == row.entry && match?.system == system.name, "\(system.name) \(row.code)")
                }
            }
        }
    }

    @Test func `the wrapper is kept beside the inner error that decided`() throws {
        let catalogue = try CatalogueFiles.shipped.get()
        var error = ErrorReport(domain: "adapty", code: "1006")
        error.underlying = [
            UnderlyingError(domain: "SKErrorDomain", code: "2"), UnderlyingError(domain: "ASDErrorDomain", code: "907"),
        ]
        let result = catalogue.classify(PaymentEvent(error: error))
        #expect(result.decider == .underlying(0))
        let explanation = catalogue.explain(result, of: error)
        #expect(explanation.wrapper == ErrorKey(domain: "adapty", code: "1006"))
        #expect(explanation.row?.key == ErrorKey(domain: "SKErrorDomain", code: "2"))
        #expect(explanation.sentence == "SKErrorDomain 2 (paymentCancelled) is known; inside adapty 1006")
    }

    @Test func `a merchant's row overrides the shipped one and says so`() throws {
        let own = CatalogueEntry(
            name: "ours",
            failureClass: .processor,
            retry: .later,
            switchWeight: .count,
            money: .notMoved
        )
        let shipped = try CatalogueFiles.systems(CatalogueFiles.read("http.yaml"))
        let merchant = CatalogueSystem(
            name: "ours",
            domains: ["http"],
            owner: .merchant,
            rows: [.init(code: "401", entry: own)]
        )
        let catalogue = Catalogue(shipped + [merchant], stages: try CatalogueFiles.stages())
        let result = catalogue.classify(domain: "http", code: "401", stage: .tokenSubmit)
        #expect(result.failureClass == .processor)
        #expect(result.reason == .merchantRow)
        let explanation = catalogue.explain(result, of: ErrorReport(domain: "http", code: "401"))
        #expect(explanation.row?.owner == .merchant)
        #expect(explanation.row?.overrides?.failureClass == .merchantConfig)
        #expect(explanation.sentence.hasSuffix("; overrides the shipped row (unauthorised, merchantConfig)"))
        #expect(catalogue.classify(domain: "http", code: "403").reason == .shippedRow)
    }

    @Test func `the founding article's store is read as a merchant's own file`() throws {
        let catalogue = try CatalogueFiles.catalogue(withExample: true)
        #expect(catalogue.problems == [])
        let mapped = catalogue.classify(domain: "verify", code: "8771", stage: .precheck)
        #expect(mapped.failureClass == .unknown && mapped.switchWeight == .count && mapped.money == .notMoved)
        #expect(mapped.reason == .merchantRow && mapped.isKnown)
        let slow = catalogue.classify(domain: "verify", code: "networkTimeout", stage: .tokenSubmit)
        #expect(slow.failureClass == .inDoubt && slow.switchWeight == .count)
        #expect(catalogue.classify(domain: "verify", code: "401").failureClass == .merchantConfig)
    }

    @Test func `duplicates, and names that don't exist, are problems`() {
        let entry = CatalogueEntry(name: "x", failureClass: .user, retry: .never, switchWeight: .none, money: .notMoved)
        let system = CatalogueSystem(
            name: "a",
            domains: ["a"],
            subcodes: "b",
            rows: [.init(code: "1", entry: entry), .init(code: "1", entry: entry)]
        )
        let text = Signature(id: "t", all: ["x"], verdict: .code, say: "")
        let empty = Signature(id: "e", all: [], verdict: .code, say: "")
        let stages = StageTable(rules: [:], nothingSent: [.init(system: "a", codes: ["2"])])
        #expect(
            Catalogue([system], stages: stages, signatures: [text, text, empty]).problems == [
                .duplicateSignature(id: "t"), .signatureTexts(id: "e"),
                .unknownSubcodeSystem(system: "a", subcodes: "b"),
                .duplicateCode(system: "a", code: "1"), .unknownStageRow(system: "a", code: "2"),
            ]
        )
    }

    @Test func `in doubt outlasts a later refusal, and success settles everything`() throws {
        let catalogue = try CatalogueFiles.shipped.get()
        let timeOut = catalogue.classify(domain: "http", code: "504", stage: .charge)
        let declined = catalogue.classify(domain: "stripe.code", code: "card_declined", stage: .charge)
        let success = catalogue.classify(domain: "", code: "", stage: .complete, outcome: .succeeded)
        #expect(timeOut.followed(by: declined) == timeOut)
        #expect(declined.followed(by: timeOut) == timeOut)
        #expect(timeOut.followed(by: success) == success)
        #expect(success.followed(by: declined) == success)
        #expect(declined.followed(by: success) == success)
        #expect(!timeOut.allowsWebRoute && !success.allowsWebRoute && declined.allowsWebRoute)
    }

    @Test func `a simulator's text says where it came from`() throws {
        let result = try CatalogueFiles.shipped.get().classify(
            domain: "x",
            code: "y",
            message: "id production_simulator"
        )
        #expect(result.environmentHint == .test)
        #expect(result.switchWeight == .none)
    }

    @Test func `nothing that a person or a bank refused ever counts for a switch`() throws {
        let catalogue = try CatalogueFiles.shipped.get()
        for name in ["iso8583", "unionpay", "stripe", "adyen", "braintree", "storekit", "threeds", "iso20022"] {
            for system in try CatalogueFiles.systems(CatalogueFiles.read("\(name).yaml")) {
                for row in system.rows {
                    for stage in Stage.allCases {
                        let result = catalogue.classify(domain: system.name, code: row.code, stage: stage)
                        guard [.user, .issuer, .risk, .notFailure].contains(result.failureClass) else { continue }
                        #expect(result.switchWeight == .none, "\(system.name) \(row.code) at \(stage)")
                    }
                }
            }
        }
    }

    @Test func `every stage has its own rule: none answers for another`() throws {
        let stages = try CatalogueFiles.stages()
        let catalogue = try CatalogueFiles.shipped.get()
        for (stage, rule) in stages.rules {
            let result = catalogue.classify(domain: "NSURLErrorDomain", code: "-1001", stage: stage)
            #expect((result.failureClass == .inDoubt) == (rule.transport == .inDoubt), "\(stage)")
            #expect(result.money == rule.money, "\(stage)")
        }
    }
}
