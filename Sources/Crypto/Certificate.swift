import COpenSSL
public import Domain
import Encoding
import Glibc
import Support

/// An X.509 certificate (RFC 5280), read from exactly its DER bytes.
struct Certificate: Sendable {
    let handle: OpenSSLHandle
    /// Whole seconds, including both ends (RFC 5280 §4.1.2.5).
    let validity: ClosedRange<Int64>

    /// Returns nil unless `der` is exactly one certificate, with no byte after it.
    init?(der: [UInt8]) {
        self.init(OpenSSLHandle(der: der, free: X509_free) { d2i_X509(nil, &$0, $1) })
    }

    /// Takes another reference to a certificate that OpenSSL has already parsed.
    init?(sharing pointer: OpaquePointer) {
        guard X509_up_ref(pointer) == 1 else { return nil }
        self.init(OpenSSLHandle(pointer, free: X509_free))
    }

    private init?(_ handle: OpenSSLHandle?) {
        guard let handle, let validity = handle.borrow({ validityPeriod($0) }) else {
            ERR_clear_error()
            return nil
        }
        self.handle = handle
        self.validity = validity
    }

    /// The subject's key; nil unless it is on P-256.
    var publicKey: PublicKey? { PublicKey(owning: handle.borrow { X509_get_pubkey($0) }) }

    /// Whether it may sign documents but no certificates.
    var isEndEntity: Bool {
        handle.borrow { certificate in
            let usage = X509_get_key_usage(certificate)
            return X509_check_ca(certificate) == 0 && usage & UInt32(KU_DIGITAL_SIGNATURE) != 0
        }
    }

    func hasExtension(_ identifier: String) -> Bool {
        guard let object = OBJ_txt2obj(identifier, 1) else { return false }
        defer { ASN1_OBJECT_free(object) }
        return handle.borrow { X509_get_ext_by_OBJ($0, object, -1) >= 0 }
    }
}

extension Certificate: Equatable {
    static func == (left: Certificate, right: Certificate) -> Bool {
        left.handle.borrow { left in right.handle.borrow { X509_cmp(left, $0) == 0 } }
    }
}

private func validityPeriod(_ certificate: OpaquePointer) -> ClosedRange<Int64>? {
    guard let start = seconds(X509_get0_notBefore(certificate)), let end = seconds(X509_get0_notAfter(certificate)),
        start <= end
    else { return nil }
    return start...end
}

private func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    var calendar = tm()
    guard let time, ASN1_TIME_to_tm(time, &calendar) == 1 else { return nil }
    return Int64(timegm(&calendar))
}

/// What an operator wants to know about a certificate: its subject and its validity.
public struct CertificateSummary: Sendable, Equatable {
    /// The subject's common name, else its organization.
    public let name: String
    public let validity: ClosedRange<Instant>

    /// Returns nil unless `der` is exactly one DER certificate.
    public init?(der: [UInt8]) {
        guard let certificate = Certificate(der: der) else { return nil }
        name =
            certificate.handle.borrow { text(NID_commonName, of: $0) ?? text(NID_organizationName, of: $0) }
            ?? "a certificate without a name"
        let seconds = certificate.validity
        let epoch = Instant(milliseconds: 0)
        validity = (epoch + .seconds(seconds.lowerBound))...(epoch + .seconds(seconds.upperBound))
    }

    /// Returns all certificates of a PEM file in file order, or nil when a block is broken or the file has none.
    public static func read(pemFile path: String) -> [CertificateSummary]? {
        guard let bytes = try? SmallFile.read(path),
            let blocks = PEM.blocks("CERTIFICATE", in: String(decoding: bytes, as: UTF8.self))
        else { return nil }
        let certificates = blocks.compactMap { CertificateSummary(der: $0) }
        return certificates.isEmpty || certificates.count < blocks.count ? nil : certificates
    }
}

private func text(_ part: Int32, of certificate: OpaquePointer) -> String? {
    var buffer = [CChar](repeating: 0, count: 128)
    let name = X509_get_subject_name(certificate)
    let count = X509_NAME_get_text_by_NID(name, part, &buffer, Int32(buffer.count))
    guard count > 0 else { return nil }
    let scalars = buffer.prefix(Int(min(count, 127))).map { UInt8(bitPattern: $0) }
    // The name goes to a terminal, so it must be printable.
    return String(decoding: scalars.map { (32...126).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
}
