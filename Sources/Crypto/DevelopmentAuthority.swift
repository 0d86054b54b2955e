public import Domain

/// A throw-away certificate authority in the shape of Apple's: P-384 root and intermediate, P-256 leaf.
///
/// Only the leaf's key survives: nobody, not even its owner, can make this authority vouch for anything else.
public struct DevelopmentAuthority: Sendable {
    /// The root to trust, in PEM.
    public let root: String
    /// Leaf, intermediate, root: what goes into `x5c`. DER.
    public let chain: [[UInt8]]
    public let leafKey: PrivateKey

    /// 2010 to 2049: a development server may be told to live at any instant (`PAYCAST_DEV_NOW`).
    public static let validity =
        Instant(milliseconds: 1_262_304_000_000)...Instant(milliseconds: 2_524_607_999_000)

    public static func create() throws(CryptoError) -> DevelopmentAuthority {
        let root = try CertificateIssuer.selfSigned(.root(validity: validity), key: .generate(.p384))
        let intermediate = try root.issue(.intermediate(validity: validity), for: .generate(.p384))
        let leaf = try intermediate.issue(.leaf(validity: validity), for: .generate(.p256))
        return DevelopmentAuthority(
            root: PEM.text("CERTIFICATE", root.certificate),
            chain: [leaf.certificate, intermediate.certificate, root.certificate],
            leafKey: leaf.key
        )
    }
}
