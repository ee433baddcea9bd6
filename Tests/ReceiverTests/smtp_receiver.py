"""A mail server on a free loopback port, by aiosmtpd. Prints its port, then a line of JSON for each mail it takes.

smtp_receiver.py starttls|implicit|plain CERTIFICATE KEY [USER PASSWORD]

A recipient called "later" is refused with 451, one called "never" with 550.
"""

import asyncio
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        name = address.split("@")[0]
        if name == "later":
            return "451 4.2.1 The mailbox is being moved, try again"
        if name == "never":
            return "550 5.1.1 There is no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        mail = {
            "sender": envelope.mail_from,
            "recipients": envelope.rcpt_tos,
            "message": envelope.content.decode(),
            "isEncrypted": session.ssl is not None or server.transport.get_extra_info("sslcontext") is not None,
            "user": session.auth_data,
        }
        print(json.dumps(mail), flush=True)
        return "250 2.0.0 Taken as 4711"


async def main(mode, certificate, key, user=None, password=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    def authenticate(server, session, envelope, mechanism, data):
        good = (data.login, data.password) == (user.encode(), password.encode())
        return AuthResult(success=good, handled=False, auth_data=user)

    def make():
        return SMTP(
            Handler(),
            hostname="receiver.test",
            tls_context=context if mode == "starttls" else None,
            require_starttls=mode == "starttls",
            authenticator=authenticate if user else None,
            auth_required=user is not None,
            auth_require_tls=mode != "implicit",
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(make, "127.0.0.1", 0, ssl=context if mode == "implicit" else None)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
