import Glibc

/// What whoever else uses OpenSSL reads by itself, and libcurl does not (SSL_CTX_set_default_verify_paths(3)). Once: nobody
/// changes the environment of a process that runs.
let namedAuthorities = (file: variable("SSL_CERT_FILE"), folder: variable("SSL_CERT_DIR"))

private func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}
