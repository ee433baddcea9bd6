import ShuntCore
import ShuntSchema
import Testing

@Suite struct CatalogueStageTests {
    @Test(arguments: [
        CatalogueCase(
            name: "time-out before the payer authorised",
            domain: "NSURLErrorDomain",
            code: "-1001",
            stage: .precheck,
            wanted: .network,
            weight: .count,
            money: .notMoved,
            reason: .harmlessByStage
        ),
        CatalogueCase(
            name: "time-out while presenting",
            domain: "NSURLErrorDomain",
            code: "-1001",
            stage: .present,
            wanted: .clientApp,
            money: .notMoved
        ),
        CatalogueCase(
            name: "time-out at the session",
            domain: "NSURLErrorDomain",
            code: "-1001",
            stage: .merchantValidation,
            wanted: .network,
            money: .notMoved
        ),
        CatalogueCase(
            name: "time-out at face or PIN",
            domain: "NSURLErrorDomain",
            code: "-1001",
            stage: .authorize,
            wanted: .user,
            weight: SwitchWeight.none,
            money: .notMoved
        ),
        CatalogueCase(
            name: "time-out at submit",
            domain: "NSURLErrorDomain",
            code: "-1001",
            stage: .tokenSubmit,
            wanted: .inDoubt,
            weight: .count,
            money: .mayHaveMoved
        ),
        CatalogueCase(
            name: "time-out while decrypting",
            domain: "NSURLErrorDomain",
            code: "-1001",
            stage: .tokenDecrypt,
            wanted: .merchantConfig,
            money: .notMoved
        ),
        CatalogueCase(
            name: "time-out at step-up",
            domain: "NSURLErrorDomain",
            code: "-1001",
            stage: .threeDS,
            wanted: .user,
            money: .notMoved
        ),
        CatalogueCase(
            name: "time-out at charge",
            domain: "NSURLErrorDomain",
            code: "-1001",
            stage: .charge,
            wanted: .inDoubt,
            weight: .count
        ),
        CatalogueCase(
            name: "time-out at a receipt",
            domain: "NSURLErrorDomain",
            code: "-1001",
            stage: .verifyReceipt,
            wanted: .network,
            money: .moved
        ),
        CatalogueCase(
            name: "time-out at a refund",
            domain: "NSURLErrorDomain",
            code: "-1001",
            stage: .refund,
            wanted: .inDoubt
        ),
        CatalogueCase(name: "time-out at no stage", domain: "NSURLErrorDomain", code: "-1001", wanted: .inDoubt),
        CatalogueCase(
            name: "no such host at submit: nothing sent",
            domain: "NSURLErrorDomain",
            code: "-1003",
            stage: .tokenSubmit,
            wanted: .network,
            money: .notMoved,
            reason: .shippedRow
        ),
        CatalogueCase(
            name: "no connection at submit",
            domain: "NSURLErrorDomain",
            code: "-1004",
            stage: .tokenSubmit,
            wanted: .network,
            money: .notMoved
        ),
        CatalogueCase(
            name: "offline at submit",
            domain: "NSURLErrorDomain",
            code: "-1009",
            stage: .tokenSubmit,
            wanted: .user,
            weight: SwitchWeight.none
        ),
        CatalogueCase(
            name: "transport security at submit",
            domain: "NSURLErrorDomain",
            code: "-1022",
            stage: .tokenSubmit,
            wanted: .clientApp,
            weight: .countFast
        ),
        CatalogueCase(
            name: "untrusted certificate at submit",
            domain: "NSURLErrorDomain",
            code: "-1202",
            stage: .tokenSubmit,
            wanted: .merchantConfig
        ),
        CatalogueCase(
            name: "offline on poll: an earlier request had gone out",
            domain: "NSURLErrorDomain",
            code: "-1009",
            stage: .asyncResult,
            wanted: .inDoubt,
            money: .mayHaveMoved
        ),
        CatalogueCase(
            name: "401 at submit",
            domain: "http",
            code: "401",
            stage: .tokenSubmit,
            wanted: .merchantConfig,
            money: .notMoved
        ),
        CatalogueCase(name: "400 at submit", domain: "http", code: "400", stage: .tokenSubmit, wanted: .merchantConfig),
        CatalogueCase(name: "429 at submit", domain: "http", code: "429", stage: .tokenSubmit, wanted: .processor),
        CatalogueCase(name: "401 at no stage", domain: "http", code: "401", wanted: .merchantConfig),
        CatalogueCase(name: "404 on poll", domain: "http", code: "404", stage: .asyncResult, wanted: .inDoubt),
        CatalogueCase(
            name: "503 before dispatch",
            domain: "http",
            code: "503",
            stage: .precheck,
            wanted: .network,
            money: .notMoved
        ),
        CatalogueCase(
            name: "503 after dispatch",
            domain: "http",
            code: "503",
            stage: .tokenSubmit,
            wanted: .inDoubt,
            weight: .count
        ),
        CatalogueCase(
            name: "500 at charge counts for new orders",
            domain: "http",
            code: "500",
            stage: .charge,
            wanted: .inDoubt,
            weight: .count
        ),
        CatalogueCase(
            name: "StoreKit's unknown, asked beforehand",
            domain: "SKErrorDomain",
            code: "0",
            stage: .precheck,
            wanted: .network,
            money: .notMoved
        ),
        CatalogueCase(
            name: "StoreKit's unknown in the sheet, where the store charges",
            domain: "SKErrorDomain",
            code: "0",
            stage: .present,
            wanted: .inDoubt
        ),
        CatalogueCase(
            name: "the sheet's failure status at the end",
            domain: "applepay.status",
            code: "1",
            stage: .complete,
            wanted: .inDoubt
        ),
        CatalogueCase(
            name: "the sheet's failure status at no stage",
            domain: "applepay.status",
            code: "1",
            wanted: .unknown,
            money: .mayHaveMoved
        ),
        CatalogueCase(
            name: "UnionPay 99 answers a charge",
            domain: "unionpay",
            code: "99",
            stage: .charge,
            wanted: .inDoubt
        ),
        CatalogueCase(
            name: "a request cancelled beforehand",
            domain: "NSURLErrorDomain",
            code: "-999",
            stage: .present,
            durationMs: 5_000,
            wanted: .user,
            weight: SwitchWeight.none
        ),
        CatalogueCase(
            name: "a request cancelled at submit",
            domain: "NSURLErrorDomain",
            code: "-999",
            stage: .tokenSubmit,
            wanted: .inDoubt,
            weight: SwitchWeight.none
        ),
        CatalogueCase(
            name: "a cancel without code at the sheet",
            stage: .authorize,
            outcome: .cancelled,
            wanted: .user,
            money: .notMoved
        ),
        CatalogueCase(name: "a cancel without stage", outcome: .cancelled, wanted: .user, weight: SwitchWeight.none),
        CatalogueCase(
            name: "dismissed at charge",
            domain: "wrapper",
            code: "x",
            stage: .charge,
            message: "sheet Dismissed",
            wanted: .inDoubt
        ),
    ])
    func `the stage decides what a transport fault or a cancel means`(row: CatalogueCase) throws { try row.check() }
}
