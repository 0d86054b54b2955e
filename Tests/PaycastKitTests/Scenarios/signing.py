"""What the store signs: transactions for the app, and notifications for the server."""

import base64
import hmac
import json
import re
import subprocess
import time
from uuid import uuid4


def unpadded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def payload(jws):
    part = jws.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


STREAM_KEY = "a key of the scenarios for the names of streams"


def expired(signed_stream):
    """The same name, signed to end years ago."""
    name = json.loads(base64.b64decode(signed_stream.split("--")[0]))
    envelope = json.dumps({"_rails": {"data": name, "exp": "2020-01-01T00:00:00.000Z"}})
    encoded = base64.b64encode(envelope.encode()).decode()
    return encoded + "--" + hmac.new(STREAM_KEY.encode(), encoded.encode(), "sha256").hexdigest()


class Signer:
    """Signs as the development server's own authority does, whose certificates it trusts."""

    def __init__(self, authority, key):
        text = authority.read_text()
        certificates = re.findall(r"-----BEGIN CERTIFICATE-----(.*?)-----END", text, re.DOTALL)
        self.chain = ["".join(certificate.split()) for certificate in certificates]
        key.write_text(re.search(r"-----BEGIN PRIVATE KEY-----.*?-----END PRIVATE KEY-----", text, re.DOTALL)[0])
        self.key = key

    def sign(self, document):
        header = unpadded(json.dumps({"alg": "ES256", "x5c": self.chain}).encode())
        signed = header + "." + unpadded(json.dumps(document).encode())
        command = ["openssl", "dgst", "-sha256", "-sign", self.key]
        der = subprocess.run(command, input=signed.encode(), capture_output=True, check=True).stdout
        # SEQUENCE { INTEGER r, INTEGER s }, and JWS wants both in 32 bytes.
        length = der[3]
        r, s = int.from_bytes(der[4 : 4 + length], "big"), int.from_bytes(der[6 + length :], "big")
        return signed + "." + unpadded(r.to_bytes(32, "big") + s.to_bytes(32, "big"))

    def renewal(self, transaction, **members):
        """What the App Store says of the subscription's next period."""
        bought = payload(transaction)
        renewal = {
            "originalTransactionId": bought["originalTransactionId"],
            "productId": bought["productId"],
            "autoRenewProductId": bought["productId"],
            "autoRenewStatus": 1,
            "renewalDate": bought["expiresDate"],
            "recentSubscriptionStartDate": bought["purchaseDate"],
            "signedDate": bought["signedDate"],
            "environment": bought["environment"],
        }
        return self.sign({**renewal, **members})

    def notification(self, transaction):
        """What the App Store posts to the webhook once the transaction is bought."""
        bought = payload(transaction)
        document = {
            "notificationType": "SUBSCRIBED",
            "subtype": "INITIAL_BUY",
            "notificationUUID": str(uuid4()),
            "version": "2.0",
            "signedDate": int(time.time() * 1000),
            "data": {
                "bundleId": bought["bundleId"],
                "environment": bought["environment"],
                "status": 1,
                "signedTransactionInfo": transaction,
                "signedRenewalInfo": self.renewal(transaction),
            },
        }
        return {"signedPayload": self.sign(document)}


class Xcode(Signer):
    """Signs as StoreKit testing in Xcode does: under one certificate, which has signed itself."""

    def __init__(self, folder):
        folder.mkdir(parents=True)
        self.key, certificate = folder / "key.pem", folder / "certificate.pem"
        name = "/CN=StoreKit Testing in Xcode/O=StoreKit Testing in Xcode"
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        command += ["-subj", name, "-keyout", self.key, "-out", certificate]
        subprocess.run(command, check=True, capture_output=True)
        self.chain = ["".join(line for line in certificate.read_text().splitlines() if "-----" not in line)]
