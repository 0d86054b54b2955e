internal import Crypto
internal import Domain
internal import StoreInterface

/// When certificates expire. Pure.
struct CertificatesCheck {
    /// In days. A root cannot be replaced within a week.
    static let rootNotice = 180
    /// In days. Automatic renewal happens 30 days before the end; with half of that left, it has failed.
    static let servedNotice = 14

    let now: Instant

    func finding(_ what: String, certificate: CertificateSummary, notice days: Int, todo: String) -> Finding {
        let end = certificate.validity.upperBound
        let left = (end.milliseconds - now.milliseconds) / 86_400_000
        let date = end.iso8601.prefix(10)
        if now > end { return .fail(what, detail: "\(certificate.name) expired on \(date): \(todo)") }
        if now < certificate.validity.lowerBound {
            let begin = certificate.validity.lowerBound.iso8601
            return .fail(what, detail: "\(certificate.name) is not valid before \(begin): check the clock")
        }
        if left < days {
            return .warn(what, detail: "\(certificate.name) expires on \(date), in \(left) days: \(todo)")
        }
        return .ok(what, detail: "\(certificate.name) is valid until \(date)")
    }

    /// The roots that verify Apple's documents.
    func roots(_ roots: TrustedRoots) -> [Finding] {
        roots.certificates.compactMap { CertificateSummary(der: $0) }.map {
            finding(
                "Apple root",
                certificate: $0,
                notice: CertificatesCheck.rootNotice,
                todo: "get the new one from www.apple.com/certificateauthority, or a newer Paycast"
            )
        } + leaf
    }

    /// The certificate with which Apple signed when this was written.
    private var leaf: [Finding] {
        guard let end = Instant(iso8601: "2027-10-13T00:00:00Z"), now < end else { return [] }
        return [
            .ok(
                "Apple leaf",
                detail: "the current signing certificate expires on 2027-10-13; its successor needs no change here"
            )
        ]
    }

    /// The certificate that this server shows to browsers and stores.
    func served(_ file: String) -> [Finding] {
        guard let chain = CertificateSummary.read(pemFile: file), let leaf = chain.first else {
            return [.fail("TLS certificate", detail: "\(file) holds no readable certificate: use PEM, leaf first")]
        }
        let todo = "renew it; a running server picks up the new file by itself"
        var findings = [
            finding("TLS certificate", certificate: leaf, notice: CertificatesCheck.servedNotice, todo: todo)
        ]
        if chain.count == 1 {
            findings.append(
                .warn("TLS chain", detail: "\(file) holds only the leaf: append the intermediates, which stores need")
            )
        }
        return findings
    }
}
