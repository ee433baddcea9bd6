import ShuntCore
import Testing

@Suite struct RedactionKeyTests {
    @Test(arguments: [
        "cardnumber", "card_number", "card-number2", "cardNumber", "CARD_NUMBER", "pan", "PAN", "cardPan", "card_pan",
        "cardpan",
        "maskedPan", "dpan", "accNo", "acc_no", "accno", "accNo2", "cvv", "CVV2", "userCvv", "cvc", "cvcCode", "cvn2",
        "cvn",
        "cid", "card_cid", "securityCode", "pin", "userPIN", "pin_block", "pinBlock", "pinblock", "PINBlock",
        "encryptedPINData",
        "track1", "track_2", "track2Data", "track2data", "paymentData", "payment-data", "paymentToken", "token",
        "accessToken",
        "access_token", "tokens", "onlinePaymentCryptogram", "emvData", "receipt-data", "receiptData", "authorization",
        "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Auth-Token", "apiKey", "x_api_key", "secret", "clientSecret",
        "client_secret", "password", "oldpasswordhash", "passwd", "samlResponse", "assertion", "bearer", "signature",
        "hmacSignature", "privateKey", "idCard", "id_card_no", "certifId", "customerInfo", "encryptedInfo", "phoneNo",
        "phone",
        "payer.phone", "email", "userEmail", "receipt_email", "e-mail", "billing_details", "cardholderName",
        "firstName",
        "applicationPrimaryAccountNumber", "wrappedKey", "ephemeralPublicKey", "merchantSession",
        "a-key-that-goes-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on",
    ])
    func `a key that names sensitive data is dropped`(key: String) {
        #expect(Redactor.shouldDrop(key: key))
    }

    @Test(arguments: [
        "company", "companyName", "shippingMethod", "shipping", "spinner", "spinCount", "pinned", "isPinned", "panel",
        "controlPanel", "spanId", "span_id", "SPAN_ID", "japanRegion", "expand", "incident", "accident", "decide",
        "acid",
        "accNotes", "accnotes", "accountType", "tokenVersion", "token_version", "tokenType", "tokenSubmit",
        "tokenDecrypt",
        "tokenizationMethod", "validCard", "is_valid_card", "paidCard", "phoneNotSupported", "phoneModel", "trackingId",
        "soundtrack", "orderRef", "pspReference", "traceId", "installId", "network", "cartSize", "opinion", "happiness",
        "mapping", "typing", "pinch", "pancake", "participant", "namespace", "region", "merchantId", "durationMs",
        "retryCount",
        "certificateAge", "keyboard", "secondsLeft", "authorized", "methodName", "productName", "screen_name", "",
        "cvcResult", "cvvCheck", "公司",
    ])
    func `an ordinary key is kept`(key: String) {
        #expect(!Redactor.shouldDrop(key: key))
    }
}
