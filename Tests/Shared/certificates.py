"""A certificate for this machine that no authority vouches for, and clients that accept it."""

import ssl
import subprocess


def certificate(folder):
    """Makes a certificate and its key, and returns their paths."""
    certificate = folder / "certificate.pem"
    key = folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        + ["-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )
    return certificate, key


def unverified(*protocols):
    """The context of a client that accepts any certificate. `protocols`: offered by ALPN."""
    context = ssl._create_unverified_context()
    if protocols:
        context.set_alpn_protocols(protocols)
    return context


UNVERIFIED = unverified()
