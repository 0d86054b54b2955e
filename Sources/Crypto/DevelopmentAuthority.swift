public import Domain

/// A throwaway certificate authority with the shape of Apple's: P-384 root and intermediate, P-256 leaf.
///
/// Only the leaf's key survives, so nobody, not even its owner, can make this authority certify anything else.
public struct DevelopmentAuthority: Sendable {
    /// The root to trust, in PEM.
    public let root: String
    /// Leaf, intermediate and root in DER, as they go into `x5c`.
    public let chain: [[UInt8]]
    public let leafKey: PrivateKey

    /// 2010 to 2049, because a development server may run at any instant (`PAYCAST_DEV_NOW`).
    public static let validity =
        Instant(milliseconds: 1_262_304_000_000)...Instant(milliseconds: 2_524_607_999_000)

    public static func create() throws(CryptoError) -> DevelopmentAuthority {
        let root = try CertificateIssuer.selfSigned(.root(validity: validity), key: .generate(.p384))
        let intermediate = try root.issue(.intermediate(validity: validity), for: .generate(.p384))
        let leaf = try intermediate.issue(.leaf(validity: validity), for: .generate(.p256))
        return DevelopmentAuthority(
            root: PEM.text("CERTIFICATE", der: root.certificate),
            chain: [leaf.certificate, intermediate.certificate, root.certificate],
            leafKey: leaf.key
        )
    }
}
