import COpenSSL
import Glibc
import Support

/// The root certificates that a chain may end at.
public struct TrustedRoots: Sendable, Equatable {
    /// In DER; each is one readable certificate.
    public let certificates: [[UInt8]]

    /// Returns nil if `certificates` is empty or one of them cannot be read.
    public init?(_ certificates: [[UInt8]]) {
        guard !certificates.isEmpty, certificates.allSatisfy({ Certificate(der: $0) != nil }) else { return nil }
        self.certificates = certificates
    }

    /// Returns nil if `pem` has no certificate or has a broken block.
    public init?(pem: String) {
        guard let blocks = PEM.blocks("CERTIFICATE", in: pem) else { return nil }
        self.init(blocks)
    }

    private init(unchecked certificates: [[UInt8]]) { self.certificates = certificates }

    /// Apple's published roots. They are pinned: the system's certificates do not count.
    public static let apple = TrustedRoots(
        unchecked: PEM.blocks("CERTIFICATE", in: String(decoding: Assets.appleRoots, as: UTF8.self)) ?? []
    )

    public static func + (left: TrustedRoots, right: TrustedRoots) -> TrustedRoots {
        TrustedRoots(unchecked: left.certificates + right.certificates)
    }

    /// Reads a PEM or DER file, or every such file of a folder (`PAYCAST_APPLE_ROOTS`).
    public static func load(from path: String) throws(TrustedRootsError) -> TrustedRoots {
        var certificates: [[UInt8]] = []
        for file in try files(at: path) {
            let bytes: [UInt8]
            do { bytes = try SmallFile.read(file) } catch { throw .unreadable(path: file) }
            let isPEM = bytes.starts(with: Array("-----BEGIN".utf8))
            let roots = isPEM ? TrustedRoots(pem: String(decoding: bytes, as: UTF8.self)) : TrustedRoots([bytes])
            guard let roots else { throw .notACertificate(path: file) }
            certificates += roots.certificates
        }
        guard !certificates.isEmpty else { throw .empty(path: path) }
        return TrustedRoots(unchecked: certificates)
    }

    private static func files(at path: String) throws(TrustedRootsError) -> [String] {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .unreadable(path: path) }
        guard status.st_mode & S_IFMT == S_IFDIR else { return [path] }
        let names: [String]
        do { names = try SmallFile.names(in: path) } catch { throw .unreadable(path: path) }
        return names.filter { name in
            [".pem", ".der", ".cer", ".crt"].contains(where: name.lowercased().hasSuffix)
        }.map { "\(path)/\($0)" }.sorted()
    }
}

public enum TrustedRootsError: Error, Equatable, CustomStringConvertible {
    case unreadable(path: String)
    case notACertificate(path: String)
    case empty(path: String)

    public var description: String {
        switch self {
        case .unreadable(let path): "cannot read the root certificates at \(path); check the path and its permissions"
        case .notACertificate(let path): "\(path) is not a certificate in PEM or DER"
        case .empty(let path): "there is no .pem, .der, .cer or .crt file in \(path)"
        }
    }
}

/// OpenSSL's store of pinned roots, which verifies paths. The initializer fills it; afterwards it is only read.
struct TrustAnchors: Sendable {
    private let store: OpenSSLHandle?

    init(_ roots: TrustedRoots) {
        store = OpenSSLHandle(X509_STORE_new(), free: X509_STORE_free)
        for root in roots.certificates.compactMap({ Certificate(der: $0) }) {
            store?.borrow { store in root.handle.borrow { _ = X509_STORE_add_cert(store, $0) } }
        }
    }

    /// The path from `leaf`, through what is no anchor, to a root (RFC 5280 §6); nil without one.
    ///
    /// It ignores the clock: the date at which the chain must be valid is known only once the signature has been checked, so
    /// the caller compares that date. `level` is that of X509_VERIFY_PARAM_set_auth_level(3).
    func path(
        from leaf: OpaquePointer,
        through untrusted: OpaquePointer?,
        flags: Int32 = 0,
        level: Int32
    ) -> [Certificate]? {
        guard let store, let context = X509_STORE_CTX_new() else { return nil }
        defer { X509_STORE_CTX_free(context) }
        return store.borrow { store in
            guard X509_STORE_CTX_init(context, store, leaf, untrusted) == 1 else { return nil }
            let parameters = X509_STORE_CTX_get0_param(context)
            X509_VERIFY_PARAM_set_flags(parameters, UInt(flags | X509_V_FLAG_NO_CHECK_TIME))
            X509_VERIFY_PARAM_set_auth_level(parameters, level)
            X509_VERIFY_PARAM_set_depth(parameters, 3)
            guard X509_verify_cert(context) == 1 else { return nil }
            let chain = X509_STORE_CTX_get0_chain(context)
            return (0..<max(0, OPENSSL_sk_num(chain))).compactMap { index in
                OPENSSL_sk_value(chain, index).flatMap { Certificate(sharing: OpaquePointer($0)) }
            }
        }
    }
}

extension [Certificate] {
    /// When a chain of Apple's shape is valid: leaf, intermediate and root, each with its marker, at the same time. Nil for
    /// any other chain.
    var validityInApplesShape: ClosedRange<Int64>? {
        guard count == 3, self[0].isEndEntity, self[0].hasExtension(AppleChainVerifier.Marker.leaf),
            self[1].hasExtension(AppleChainVerifier.Marker.intermediate)
        else { return nil }
        let start = map(\.validity.lowerBound).max() ?? .max
        let end = map(\.validity.upperBound).min() ?? .min
        return start <= end ? start...end : nil
    }
}
