"""Events as an app writes them: the contract's example, about 630 bytes each, none like another."""

import datetime
import random

CODES = [
    ("verify", "8771"),
    ("verify", "8772"),
    ("NSURLErrorDomain", "-1001"),
    ("iso8583", "91"),
    ("PKPaymentErrorDomain", "3"),
]


class Events:
    """A stream of events that follows from its seed; ids are of random form, times run on by a millisecond."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.time = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=60)

    def identifier(self):
        text = f"{self.random.getrandbits(128):032x}"
        return f"{text[:8]}-{text[8:12]}-7{text[13:16]}-a{text[17:20]}-{text[20:]}"

    def event(self, code=None, environment="production", outcome="failed"):
        self.time += datetime.timedelta(microseconds=100)
        domain, value = code or CODES[self.random.randrange(len(CODES))]
        time = self.time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        error = ""
        if outcome == "failed":
            error = (
                f'"error":{{"domain":"{domain}","code":"{value}","message":"merchant identifier does not match"}},'
            )
        return (
            f'{{"eventId":"{self.identifier()}","occurredAt":"{time}","source":"ios","environment":"{environment}",'
            f'"paymentMethod":"applePay","network":"chinaUnionPay","psp":"unionpay","route":"native",'
            f'"stage":"precheck","outcome":"{outcome}",{error}"attemptId":"{self.identifier()}",'
            f'"installId":"{self.identifier()}","app":{{"bundleId":"com.example.store","version":"4.2.0"}},'
            f'"os":{{"name":"iOS","version":"17.4.1"}},"deviceModel":"iPhone15,3","region":"CN",'
            f'"amount":{{"minor":39900,"currency":"CNY"}},"durationMs":8012}}'
        ).encode()

    def batch(self, size, **options):
        return b"[" + b",".join(self.event(**options) for _ in range(size)) + b"]"
