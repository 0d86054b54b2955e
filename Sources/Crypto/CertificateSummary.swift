internal import COpenSSL
public import Domain

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
        let (start, end) = (
            Instant(milliseconds: 0) + .seconds(seconds.lowerBound),
            Instant(milliseconds: 0) + .seconds(seconds.upperBound)
        )
        validity = start...max(start, end)
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
