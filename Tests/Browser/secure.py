"""A server with TLS, and a certificate that nobody vouches for."""

import subprocess

from server import Server


def secure_server(folder, environment=None):
    pem, key = certificate(folder)
    server = Server(folder, environment, ["--tls-cert", pem, "--tls-key", key])
    server.certificate = pem
    return server


def certificate(folder):
    """The paths of a certificate for this machine, and of its key."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        + ["-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )
    return certificate, key
