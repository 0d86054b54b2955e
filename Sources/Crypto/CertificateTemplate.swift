public import Domain

/// The content of a certificate to be issued. The three presets have the shape of Apple's certificates; tests modify
/// them.
public struct CertificateTemplate: Sendable {
    public var commonName: String
    public var validity: ClosedRange<Instant>
    /// `basicConstraints` in OpenSSL's notation (x509v3_config(5)). Nil omits the extension, here and below.
    public var basicConstraints: String?
    public var keyUsage: String?
    /// Object identifiers of extensions that only need to be present.
    public var markers: [String] = []
    public var criticalMarkers: [String] = []
    /// Makes a certificate as long as Apple's, which names its policy and its revocation list.
    public var comment: String?
    /// Whether subject and authority key identifiers are present; strict path validation requires them.
    public var hasKeyIdentifiers = true

    public static func root(validity: ClosedRange<Instant>) -> CertificateTemplate {
        CertificateTemplate(
            commonName: "Paycast Development Root CA - not Apple",
            validity: validity,
            basicConstraints: "critical,CA:TRUE",
            keyUsage: "critical,keyCertSign,cRLSign"
        )
    }

    public static func intermediate(validity: ClosedRange<Instant>) -> CertificateTemplate {
        CertificateTemplate(
            commonName: "Paycast Development Relations Certification Authority",
            validity: validity,
            basicConstraints: "critical,CA:TRUE,pathlen:0",
            keyUsage: "critical,keyCertSign,cRLSign",
            markers: [AppleChainVerifier.Marker.intermediate],
            comment: """
                For development only. This comment stands for the addresses of Apple's responder, of its list of \
                revoked certificates and of its policy.
                """
        )
    }

    public static func leaf(validity: ClosedRange<Instant>) -> CertificateTemplate {
        CertificateTemplate(
            commonName: "Paycast Development Store Receipt Signing",
            validity: validity,
            basicConstraints: "critical,CA:FALSE",
            keyUsage: "critical,digitalSignature",
            markers: [AppleChainVerifier.Marker.leaf],
            comment: """
                For development only. Whoever relies on this certificate relies on an authority that was made on this \
                machine, of which nothing is left but this key, and which nobody trusts unless its root is configured. \
                This comment stands for the policy, the addresses of the issuer's certificate and of its responder, and \
                the terms and conditions that are in Apple's certificate at this place, so that a document in \
                development has the size of Apple's.
                """
        )
    }
}
