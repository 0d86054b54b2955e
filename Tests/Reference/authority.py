"""Throw-away certificate authorities like Apple's, made anew in every run, each with one defect."""

import base64
import datetime
import json

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

LEAF = "1.2.840.113635.100.6.11.1"
INTERMEDIATE = "1.2.840.113635.100.6.2.1"
NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
DAY = datetime.timedelta(days=1)


def milliseconds(date):
    return int(date.timestamp() * 1000)


class Issuer:
    def __init__(self, key, certificate):
        self.key, self.certificate = key, certificate

    @property
    def der(self):
        return self.certificate.public_bytes(serialization.Encoding.DER)

    @property
    def pem(self):
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self):
        return self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )


def certificate(
    name,
    issuer=None,
    curve=ec.SECP384R1,
    ca=True,
    path_length=None,
    marker=None,
    critical=None,
    valid=(NOW - 700 * DAY, NOW + 700 * DAY),
):
    key = ec.generate_private_key(curve())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    signer = issuer or Issuer(key, None)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(valid[0])
        .not_valid_after(valid[1])
        .add_extension(x509.BasicConstraints(ca, path_length), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.key.public_key()), critical=False
        )
        .add_extension(
            x509.KeyUsage(not ca, False, False, False, False, ca, ca, False, False),
            critical=True,
        )
    )
    for oid, is_critical in ((marker, False), (critical, True)):
        if oid:
            extension = x509.UnrecognizedExtension(x509.ObjectIdentifier(oid), b"\x05\x00")
            builder = builder.add_extension(extension, critical=is_critical)
    digest = hashes.SHA384() if signer.key.curve.name == "secp384r1" else hashes.SHA256()
    return Issuer(key, builder.sign(signer.key, digest))


class Authority:
    """Root, intermediate and leaf; `with_` makes another chain of the same root, with a defect."""

    def __init__(self, root=None, intermediate=None, leaf=None):
        self.root = root or certificate("Root")
        self.intermediate = certificate(
            "Intermediate", **{"issuer": self.root, "path_length": 0, "marker": INTERMEDIATE, **(intermediate or {})}
        )
        self.leaf = certificate(
            "Leaf",
            **{"issuer": self.intermediate, "curve": ec.SECP256R1, "ca": False, "marker": LEAF, **(leaf or {})},
        )

    def bent(self, **bends):
        return Authority(self.root, **bends)

    @property
    def x5c(self):
        return [base64.b64encode(issuer.der).decode() for issuer in (self.leaf, self.intermediate, self.root)]

    def sign(self, payload, key=None, header=None, edit_signature=lambda raw: raw, edit_text=lambda text: text):
        """A compact JWS; `header` replaces members, those that are None are left out."""
        members = {"alg": "ES256", "x5c": self.x5c, **(header or {})}
        members = {name: value for name, value in members.items() if value is not None}
        signed = f"{encoded(json.dumps(members).encode())}.{encoded(json.dumps(payload).encode())}"
        der = (key or self.leaf.key).sign(signed.encode(), ec.ECDSA(hashes.SHA256()))
        r, s = decode_dss_signature(der)
        size = ((key or self.leaf.key).key_size + 7) // 8
        raw = r.to_bytes(size, "big") + s.to_bytes(size, "big")
        signature = der if edit_signature == "der" else edit_signature(raw)
        return edit_text(f"{signed}.{encoded(signature)}")


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
