internal import COpenSSL

/// OpenSSL's store of pinned roots, which verifies paths. The initializer fills it; afterwards it is only read.
struct TrustAnchors: Sendable {
    let store: OpenSSLHandle?

    init(_ roots: TrustedRoots) {
        store = OpenSSLHandle(X509_STORE_new(), free: X509_STORE_free)
        for root in roots.certificates.compactMap({ Certificate(der: $0) }) {
            store?.borrow { store in root.handle.borrow { _ = X509_STORE_add_cert(store, $0) } }
        }
    }
}
