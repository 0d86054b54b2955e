internal import Crypto
internal import Domain
internal import Stores

/// The certificate that this server shows to browsers and stores.
struct CertificateCheck {
    /// In days. Automatic renewal happens 30 days before the end; with half of that left, it has failed.
    private static let notice = 14

    /// PEM, as `PAYCAST_TLS_CERT` names it.
    let file: String
    let now: Instant

    var findings: [Finding] {
        guard let chain = CertificateSummary.read(pemFile: file), let leaf = chain.first else {
            return [.fail("TLS certificate", detail: "\(file) holds no readable certificate: use PEM, leaf first")]
        }
        let todo = "renew it; a running server picks up the new file by itself"
        let expiry = Finding.expiry(
            "TLS certificate",
            of: leaf,
            at: now,
            notice: CertificateCheck.notice,
            todo: todo
        )
        guard chain.count == 1 else { return [expiry] }
        return [
            expiry,
            .warn("TLS chain", detail: "\(file) holds only the leaf: append the intermediates, which stores need"),
        ]
    }
}
