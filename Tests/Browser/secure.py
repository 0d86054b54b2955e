"""A server with TLS and a certificate that no authority has signed."""

from certificates import certificate
from server import Server


def secure_server(folder, environment=None):
    pem, key = certificate(folder)
    server = Server(folder, environment, ["--tls-cert", pem, "--tls-key", key])
    server.certificate = pem
    return server
