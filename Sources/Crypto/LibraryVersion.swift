internal import COpenSSL

/// The version of OpenSSL that is loaded.
public let opensslVersion = String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))
