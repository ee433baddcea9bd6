import ShuntCore
import ShuntSchema
import Testing

@Suite struct CatalogueAcceptanceTests {
    @Test(arguments: [
        CatalogueCase(
            name: "1: call outlived the sheet (stripe-react-native#1965)",
            domain: "stripe-react-native",
            code: "Failed",
            stage: .complete,
            durationMs: 39_848,
            wanted: .inDoubt,
            money: .mayHaveMoved
        ),
        CatalogueCase(
            name: "2: completion given too late (stripe-ios#1467)",
            code: "timeout",
            stage: .complete,
            wanted: .inDoubt
        ),
        CatalogueCase(
            name: "3: cancel while processing (stripe-ios#968)",
            code: "canceled",
            stage: .charge,
            outcome: .cancelled,
            wanted: .inDoubt,
            weight: SwitchWeight.none,
            reason: .cancelAfterToken
        ),
        CatalogueCase(
            name: "6: connection lost on poll (adyen-ios#692)",
            domain: "NSURLErrorDomain",
            code: "-1005",
            stage: .asyncResult,
            wanted: .inDoubt,
            money: .mayHaveMoved
        ),
        CatalogueCase(
            name: "7a: time-out (stripe-terminal-android#470)",
            domain: "stripe.terminal",
            code: "timeout",
            stage: .charge,
            wanted: .inDoubt
        ),
        CatalogueCase(name: "7b: conflict", domain: "http", code: "409", stage: .charge, wanted: .inDoubt),
        CatalogueCase(
            name: "8: unknown from StoreKit, charged (react-native-in-app-utils#139)",
            domain: "SKErrorDomain",
            code: "0",
            message: "无法连接到 iTunes Store",
            wanted: .inDoubt
        ),
        CatalogueCase(
            name: "10: cancel with a scary text (SwiftyStoreKit#249)",
            domain: "SKErrorDomain",
            code: "2",
            message: "Cannot connect to iTunes Store",
            wanted: .user,
            weight: SwitchWeight.none
        ),
        CatalogueCase(
            name: "12: a wrapper round a cancel (AdaptySDK-React-Native#63)",
            domain: "adapty",
            code: "1006",
            underlying: [
                UnderlyingError(domain: "SKErrorDomain", code: "2"),
                UnderlyingError(domain: "ASDErrorDomain", code: "907"),
            ],
            wanted: .user
        ),
        CatalogueCase(
            name: "13a: the sheet aborts by itself (tipsi-stripe#315)",
            code: "AbortError",
            stage: .present,
            durationMs: 300,
            wanted: .merchantConfig,
            weight: .count
        ),
        CatalogueCase(
            name: "13b: the payer aborts",
            code: "AbortError",
            stage: .present,
            durationMs: 4_000,
            wanted: .user,
            weight: SwitchWeight.none
        ),
        CatalogueCase(
            name: "15: no matching key (braintree_ios#1065)",
            domain: "com.braintreepayments.BTHTTPErrorDomain",
            code: "2",
            httpStatus: 422,
            message: "no matching key found",
            wanted: .merchantConfig,
            weight: .countFast
        ),
        CatalogueCase(
            name: "16: another merchant's signing request (sdk-java#209)",
            domain: "AuthorizeNet",
            code: "153",
            stage: .tokenDecrypt,
            message: "Unable to decrypt data",
            wanted: .merchantConfig,
            money: .notMoved
        ),
        CatalogueCase(
            name: "17: certificate pair (OnMe-Backend#55)",
            domain: "com.stripe.lib",
            code: "50",
            message: "The certificate used to sign your request is invalid.",
            wanted: .merchantConfig,
            weight: .countFast
        ),
        CatalogueCase(
            name: "19: domain not registered (braintree-web#231)",
            domain: "http",
            code: "417",
            message: "not registered for Apple Pay on the web",
            wanted: .merchantConfig,
            weight: .countFast
        ),
        CatalogueCase(
            name: "21: the sheet closes after validation (ApplePayJS#5)",
            domain: "applepay.web",
            code: "unknown",
            stage: .merchantValidation,
            outcome: .cancelled,
            durationMs: 1_500,
            wanted: .merchantConfig,
            reason: .quickCancel
        ),
        CatalogueCase(
            name: "24: blocked in production only (csob#476)",
            domain: "csob",
            code: "120",
            message: "Merchant blocked",
            wanted: .merchantConfig
        ),
        CatalogueCase(
            name: "35: fault after the charge (woocommerce-gateway-stripe#2477)",
            domain: "http",
            code: "500",
            stage: .complete,
            wanted: .inDoubt
        ),
        CatalogueCase(
            name: "40: approved by the network, then 500",
            domain: "stripe.type",
            code: "api_error",
            stage: .charge,
            httpStatus: 500,
            wanted: .inDoubt
        ),
    ])
    func `a public report is classified as its true cause`(row: CatalogueCase) throws { try row.check() }
}
