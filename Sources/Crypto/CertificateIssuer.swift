import COpenSSL
public import Domain
import Encoding

/// A certificate with its key, which signs other certificates. For development and tests only; nobody trusts it unless
/// its root is configured.
public struct CertificateIssuer: Sendable {
    /// DER.
    public let certificate: [UInt8]
    public let key: PrivateKey

    /// Makes a self-signed certificate with `key`.
    public static func selfSigned(
        _ template: CertificateTemplate,
        key: PrivateKey
    ) throws(CryptoError) -> CertificateIssuer {
        let certificate = try CertificateDraft(template, subject: key).signed(by: key, issuer: nil)
        return CertificateIssuer(certificate: certificate, key: key)
    }

    /// Makes a certificate for `subject`, signed by this one's key.
    public func issue(_ template: CertificateTemplate, for subject: PrivateKey) throws(CryptoError) -> CertificateIssuer
    {
        guard let issuer = Certificate(der: certificate) else { throw .failed(.makeCertificate) }
        let certificate = try CertificateDraft(template, subject: subject).signed(by: key, issuer: issuer)
        return CertificateIssuer(certificate: certificate, key: subject)
    }
}

/// A certificate that is not signed yet.
private final class CertificateDraft {
    private let certificate: OpaquePointer
    private let template: CertificateTemplate

    init(_ template: CertificateTemplate, subject: PrivateKey) throws(CryptoError) {
        guard let certificate = X509_new() else { throw .failing(to: .makeCertificate) }
        self.certificate = certificate
        self.template = template
        let serial = BN_bin2bn([0x40] + randomBytes(15), 16, nil)
        defer { BN_free(serial) }
        let isFilled =
            X509_set_version(certificate, 2) == 1
            && BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(certificate)) != nil
            && ASN1_TIME_set(X509_getm_notBefore(certificate), Int(template.validity.lowerBound.seconds)) != nil
            && ASN1_TIME_set(X509_getm_notAfter(certificate), Int(template.validity.upperBound.seconds)) != nil
            && subject.key.borrow { X509_set_pubkey(certificate, $0) } == 1
            && name(X509_get_subject_name(certificate))
        guard isFilled else { throw .failing(to: .makeCertificate) }
    }

    deinit {
        X509_free(certificate)
    }

    func signed(by key: PrivateKey, issuer: Certificate?) throws(CryptoError) -> [UInt8] {
        let isExtended = issuer?.handle.borrow { extend(issuer: $0) } ?? extend(issuer: certificate)
        let digest = key.curve == .p384 ? EVP_sha384() : EVP_sha256()
        guard isExtended, key.key.borrow({ X509_sign(certificate, $0, digest) }) > 0 else {
            throw .failing(to: .makeCertificate)
        }
        var der: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(certificate, &der)
        guard count > 0, let der else { throw .failing(to: .makeCertificate) }
        defer { CRYPTO_free(der, #fileID, Int32(#line)) }
        return Array(UnsafeBufferPointer(start: der, count: Int(count)))
    }

    private func extend(issuer: OpaquePointer) -> Bool {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
        guard X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 else { return false }
        // The subject key identifier must come first, because a root's authority key identifier repeats it.
        let named = [
            (NID_basic_constraints, template.basicConstraints),
            (NID_key_usage, template.keyUsage),
            (NID_subject_key_identifier, template.hasKeyIdentifiers ? "hash" : nil),
            (NID_authority_key_identifier, template.hasKeyIdentifiers ? "keyid:always" : nil),
            (NID_netscape_comment, template.comment),
        ]
        return named.allSatisfy { identifier, value in
            value.map { add(X509V3_EXT_nconf_nid(nil, &context, identifier, $0)) } ?? true
        }
            && template.markers.allSatisfy { add(marker($0, isCritical: false)) }
            && template.criticalMarkers.allSatisfy { add(marker($0, isCritical: true)) }
    }

    private func add(_ part: OpaquePointer?) -> Bool {
        defer { X509_EXTENSION_free(part) }
        return part != nil && X509_add_ext(certificate, part, -1) == 1
    }

    /// An extension whose value is an ASN.1 NULL, as in Apple's certificates.
    private func marker(_ identifier: String, isCritical: Bool) -> OpaquePointer? {
        let object = OBJ_txt2obj(identifier, 1)
        let value = ASN1_OCTET_STRING_new()
        defer {
            ASN1_OBJECT_free(object)
            ASN1_OCTET_STRING_free(value)
        }
        guard ASN1_OCTET_STRING_set(value, [0x05, 0x00], 2) == 1 else { return nil }
        return X509_EXTENSION_create_by_OBJ(nil, object, isCritical ? 1 : 0, value)
    }

    private func name(_ name: OpaquePointer?) -> Bool {
        [("CN", template.commonName), ("O", "Paycast Development"), ("C", "US")].allSatisfy { field, value in
            let value = Array(value.utf8)
            return X509_NAME_add_entry_by_txt(name, field, multibyteUTF8, value, Int32(value.count), -1, 0) == 1
        }
    }
}

/// `MBSTRING_UTF8`: Swift cannot import that macro.
private let multibyteUTF8: Int32 = 0x1000

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
