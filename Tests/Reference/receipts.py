"""App Store receipts, written by asn1crypto and signed by `openssl cms` under a throw-away authority like Apple's old one:
RSA, with SHA-1 where it is asked for."""

import subprocess

from asn1crypto.core import IA5String, Integer, OctetString, Sequence, SetOf, UTF8String

from authority import INTERMEDIATE, LEAF


class Attribute(Sequence):
    _fields = [("type", Integer), ("version", Integer), ("value", OctetString)]


class Attributes(SetOf):
    _child_spec = Attribute


def attributes(*pairs):
    return Attributes([{"type": kind, "version": 1, "value": value} for kind, value in pairs]).dump()


def utf8(text):
    return UTF8String(text).dump()


def ia5(text):
    return IA5String(text).dump()


def date(moment):
    return ia5(moment.strftime("%Y-%m-%dT%H:%M:%SZ"))


def purchase(number, bought, ends, product="pro"):
    identity = utf8(f"1{number:015}")
    return attributes(
        (1701, Integer(1).dump()),
        (1702, utf8(product)),
        (1703, identity),
        (1704, date(bought)),
        (1705, identity),
        (1706, date(bought)),
        (1707, Integer(3).dump()),
        (1708, date(ends)),
        (1712, ia5("")),
    )


def payload(bundle, created, purchases, kind="ProductionSandbox"):
    return attributes(
        (0, utf8(kind)),
        (2, utf8(bundle)),
        (3, utf8("1.0")),
        (4, b"\x01\xff\x00"),
        (12, date(created)),
        *((17, one) for one in purchases),
        (19, utf8("1.0")),
    )


class Signer:
    """`openssl` in a folder of its own. Dates are openssl-ca(1)'s."""

    def __init__(self, folder, digest="sha256", leaf=LEAF, valid=("20240101000000Z", "20300101000000Z")):
        self.folder = folder
        folder.mkdir()
        ca = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n"
        marks = {"leaf": leaf, "intermediate": INTERMEDIATE}
        parts = {
            "root": ca,
            "intermediate": ca + f"authorityKeyIdentifier=keyid\n{marks['intermediate']}=ASN1:NULL\n",
            "leaf": "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\nsubjectKeyIdentifier=hash\n"
            "authorityKeyIdentifier=keyid\n" + (f"{leaf}=ASN1:NULL\n" if leaf else ""),
        }
        config = f"""
[ca]\ndefault_ca=d\n[d]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md={digest}\npolicy=p\nunique_subject=no
[p]\ncommonName=supplied\n[req]\ndistinguished_name=n\n[n]\n"""
        config += "".join(f"[{name}]\n{extensions}" for name, extensions in parts.items())
        (folder / "config").write_text(config)
        (folder / "index").touch()
        (folder / "serial").write_text("1000\n")
        for name, issuer in (("root", "root"), ("intermediate", "root"), ("leaf", "intermediate")):
            self.run("genrsa", "-out", f"{name}.key", "2048")
            subject = ["-subj", f"/CN={name} of {folder.name}"]
            self.run("req", "-new", "-config", "config", "-key", f"{name}.key", "-out", f"{name}.csr", *subject)
            signs = ["-selfsign"] if name == issuer else ["-cert", f"{issuer}.pem"]
            span = valid if name == "leaf" else ("20100101000000Z", "20350101000000Z")
            self.run(
                *("ca", "-batch", "-notext", "-config", "config", "-extensions", name, "-in", f"{name}.csr"),
                *("-keyfile", f"{issuer}.key", "-out", f"{name}.pem", "-startdate", span[0], "-enddate", span[1]),
                *signs,
            )
        chain = [(folder / f"{name}.pem").read_bytes() for name in ("intermediate", "root")]
        (folder / "chain.pem").write_bytes(b"".join(chain))

    def run(self, *arguments, check=True):
        return subprocess.run(["openssl", *arguments], cwd=self.folder, check=check, capture_output=True, timeout=30)

    def sign(self, content, *options):
        (self.folder / "content").write_bytes(content)
        self.run(
            *("cms", "-sign", "-binary", "-nodetach", "-outform", "DER", "-in", "content", "-out", "message"),
            *("-signer", "leaf.pem", "-inkey", "leaf.key", "-certfile", "chain.pem"),
            *options,
        )
        return (self.folder / "message").read_bytes()

    def verifies(self, message):
        """What openssl-cms(1) says, with this signer's root, whatever the clock says."""
        (self.folder / "judged").write_bytes(message)
        judged = ["-inform", "DER", "-in", "judged", "-CAfile", "root.pem", "-purpose", "any", "-no_check_time"]
        return self.run("cms", "-verify", "-binary", "-out", "said", *judged, check=False).returncode == 0
