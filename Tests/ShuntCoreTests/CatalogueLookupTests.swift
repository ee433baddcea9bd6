import ShuntCore
import ShuntSchema
import Testing

@Suite struct CatalogueLookupTests {
    @Test(arguments: [
        CatalogueCase(
            name: "payday",
            domain: "unionpay",
            code: "64",
            stage: .charge,
            wanted: .user,
            weight: SwitchWeight.none,
            money: .notMoved
        ),
        CatalogueCase(
            name: "charged late",
            domain: "unionpay",
            code: "42",
            stage: .charge,
            wanted: .inDoubt,
            money: .moved
        ),
        CatalogueCase(name: "insufficient funds", domain: "iso8583", code: "51", stage: .asyncResult, wanted: .user),
        CatalogueCase(name: "a leading zero is another code", domain: "iso8583", code: "5", wanted: .unknown),
        CatalogueCase(name: "a range", domain: "braintree.processor", code: "2500", wanted: .issuer),
        CatalogueCase(name: "a range's end", domain: "appstore.verifyReceipt", code: "21199", wanted: .processor),
        CatalogueCase(name: "behind a range's end", domain: "appstore.verifyReceipt", code: "21200", wanted: .unknown),
        CatalogueCase(
            name: "a domain within a code",
            domain: "com.braintreepayments.BTApplePayErrorDomain",
            code: "1",
            wanted: .merchantConfig,
            weight: .countFast
        ),
        CatalogueCase(name: "a StoreKit 2 case", domain: "StoreKitError", code: "userCancelled", wanted: .user),
        CatalogueCase(
            name: "a finer code first",
            domain: "stripe.code",
            code: "card_declined",
            subcode: "insufficient_funds",
            wanted: .user
        ),
        CatalogueCase(
            name: "a finer code that isn't known",
            domain: "stripe.code",
            code: "card_declined",
            subcode: "new_reason",
            wanted: .issuer
        ),
        CatalogueCase(name: "a family's name as domain", domain: "stripe", code: "incorrect_cvc", wanted: .user),
        CatalogueCase(
            name: "Adyen's result with its reason",
            domain: "adyen.resultCode",
            code: "Refused",
            subcode: "20",
            wanted: .risk
        ),
        CatalogueCase(
            name: "the status, when the code isn't known",
            domain: "verify",
            code: "8771",
            stage: .tokenSubmit,
            httpStatus: 401,
            wanted: .merchantConfig,
            reason: .httpStatus
        ),
        CatalogueCase(
            name: "the status says in doubt",
            domain: "verify",
            code: "8771",
            stage: .tokenSubmit,
            httpStatus: 503,
            wanted: .inDoubt,
            weight: .count
        ),
        CatalogueCase(
            name: "an inner error before the status",
            domain: "verify",
            code: "8771",
            stage: .tokenSubmit,
            httpStatus: 401,
            underlying: [UnderlyingError(domain: "NSURLErrorDomain", code: "-1001")],
            wanted: .inDoubt
        ),
        CatalogueCase(
            name: "an inner error that says nothing gives way",
            domain: "http",
            code: "401",
            stage: .tokenSubmit,
            underlying: [UnderlyingError(domain: "PKPaymentErrorDomain", code: "-1")],
            wanted: .merchantConfig
        ),
        CatalogueCase(
            name: "a text doesn't overrule the issuer's word",
            domain: "stripe.decline_code",
            code: "insufficient_funds",
            message: "Invalid amount",
            wanted: .user
        ),
        CatalogueCase(
            name: "a text doesn't overrule moved money",
            domain: "unionpay",
            code: "75",
            message: "Invalid amount",
            wanted: .inDoubt,
            money: .moved
        ),
        CatalogueCase(
            name: "both texts of a signature",
            domain: "x",
            code: "y",
            message: "-[_SwiftValue encode]: NSXPCEncoder",
            wanted: .clientApp,
            reason: .signature
        ),
        CatalogueCase(
            name: "one of them isn't enough",
            domain: "x",
            code: "y",
            message: "-[_SwiftValue encode]",
            wanted: .unknown
        ),
        CatalogueCase(
            name: "texts in any case",
            domain: "x",
            code: "y",
            message: "UNABLE TO DECRYPT",
            wanted: .merchantConfig
        ),
        CatalogueCase(
            name: "an unknown code",
            domain: "verify",
            code: "8771",
            stage: .precheck,
            wanted: .unknown,
            weight: .count,
            money: .notMoved,
            reason: .unknownCode
        ),
        CatalogueCase(
            name: "an unknown code after the token",
            domain: "verify",
            code: "8771",
            stage: .tokenSubmit,
            wanted: .unknown,
            weight: .count,
            money: .mayHaveMoved
        ),
        CatalogueCase(
            name: "an unknown time-out",
            domain: "acme",
            code: "NETWORK_TIMEOUT",
            stage: .precheck,
            wanted: .network,
            reason: .transportCode
        ),
        CatalogueCase(
            name: "success",
            stage: .complete,
            outcome: .succeeded,
            wanted: .notFailure,
            weight: SwitchWeight.none,
            money: .moved
        ),
        CatalogueCase(name: "an attempt", stage: .precheck, outcome: .attempted, wanted: .notFailure, money: .notMoved),
    ])
    func `rows, ranges, wrappers and texts are read in their order`(row: CatalogueCase) throws { try row.check() }
}
