internal import Crypto
public import Domain

extension AppleStore {
    public func checkCertificates(at now: Instant) -> [Finding] {
        let expiry = AppleCertificateExpiry(now: now)
        guard let rootsPath else { return expiry.findings(.apple) }
        do throws(TrustedRootsError) {
            return expiry.findings(try TrustedRoots.load(from: rootsPath))
        } catch {
            return [.fail("Apple root", detail: "\(error)")]
        }
    }
}

/// When the certificates expire that verify Apple's documents. Pure.
struct AppleCertificateExpiry {
    /// In days. A root cannot be replaced within a week.
    private static let notice = 180

    let now: Instant

    func findings(_ roots: TrustedRoots) -> [Finding] {
        roots.certificates.compactMap { CertificateSummary(der: $0) }.map {
            .expiry(
                "Apple root",
                of: $0,
                at: now,
                notice: AppleCertificateExpiry.notice,
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
}
