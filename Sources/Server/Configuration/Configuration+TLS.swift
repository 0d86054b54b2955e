internal import Glibc
internal import Settings
public import Sockets

extension Configuration {
    /// `--tls-cert`, `PAYCAST_TLS_CERT` and `--tls-key`, `PAYCAST_TLS_KEY`: PEM files, both or neither.
    public struct TLS: Sendable {
        public var certificateFile: String
        public var keyFile: String
        /// The files' contents at the start.
        public var identity: ServerIdentity
    }
}

extension SettingsReader {
    mutating func tls() -> Configuration.TLS? {
        let names = (certificate: "PAYCAST_TLS_CERT", key: "PAYCAST_TLS_KEY")
        let certificate = given(names.certificate, flag: "--tls-cert")
        let key = given(names.key, flag: "--tls-key")
        guard let certificate, let key else {
            if let certificate {
                reject(names.key, because: "is missing: \(certificate.name) needs the key of the certificate")
            }
            if let key {
                reject(names.certificate, because: "is missing: \(key.name) needs the certificate of the key")
            }
            return nil
        }
        do throws(ServerIdentityError) {
            let identity = try ServerIdentity(certificateFile: certificate.value, keyFile: key.value)
            if identity.hasExpired { warn("the certificate in \(shownPath(certificate.value)) has expired") }
            return .init(certificateFile: certificate.value, keyFile: key.value, identity: identity)
        } catch {
            for flaw in error.flaws { reject(flaw, certificate: certificate, key: key) }
            return nil
        }
    }

    private mutating func reject(_ flaw: ServerIdentityError.Flaw, certificate: Given, key: Given) {
        let files = (certificate: shownPath(certificate.value), key: shownPath(key.value))
        switch flaw {
        case .certificate:
            reject(certificate.name, because: "\(files.certificate) cannot be read or holds no certificate in PEM")
        case .key:
            reject(key.name, because: "\(files.key) cannot be read or holds no private key in PEM without a passphrase")
        case .mismatch:
            reject(key.name, because: "\(files.key) is not the key of the certificate in \(files.certificate)")
        }
    }
}
