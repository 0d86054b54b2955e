public import Crypto
import Domain
import Encoding

/// Signs as StoreKit testing in Xcode does: ES256, under one certificate that has signed itself.
public struct XcodeSigner: Sendable {
    public let certificate: [UInt8]
    public let key: PrivateKey

    /// The shape of Xcode's own: P-256, a year long, an authority that may sign documents, without key identifiers.
    public init(curve: Curve = .p256) throws {
        let start = Instant(milliseconds: 1_767_225_600_000)
        var template = CertificateTemplate.root(validity: start...(start + .seconds(365 * 86_400)))
        template.commonName = "StoreKit Testing in Xcode"
        template.basicConstraints = "critical,CA:TRUE,pathlen:0"
        template.keyUsage = "critical,digitalSignature"
        template.hasKeyIdentifiers = false
        let issuer = try CertificateIssuer.selfSigned(template, key: .generate(curve))
        (certificate, key) = (issuer.certificate, issuer.key)
    }

    /// What is in `x5c`.
    public var text: String { Base64.encode(certificate) }

    /// The JWS of a JSON payload.
    public func sign(_ payload: String) throws -> String {
        let header = #"{"kid":"Apple_Xcode_Key","typ":"JWT","x5c":["\#(text)"],"alg":"ES256"}"#
        let signed = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(payload.utf8)))"
        return "\(signed).\(Base64URL.encode(try key.signature(for: Array(signed.utf8))))"
    }
}
