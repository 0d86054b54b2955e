internal import COpenSSL
public import Domain

/// A chain that leads to a trusted root: its leaf's key, and when the chain is valid.
public struct VerifiedChain: Sendable {
    public let key: PublicKey
    /// The overlap of the validity of leaf, intermediate and root; whole seconds, including both ends.
    private let validity: ClosedRange<Int64>

    init(key: PublicKey, validity: ClosedRange<Int64>) {
        self.key = key
        self.validity = validity
    }

    public func isValid(at instant: Instant) -> Bool { validity.contains(instant.seconds) }
}

extension VerifiedChain {
    /// A certificate that stands for itself, as Xcode's does. Anybody can make one, so it proves no more than that
    /// everything under it was signed with one key, and its dates prove nothing at all.
    public init(selfSigned der: [UInt8]) throws(ChainError) {
        guard let certificate = Certificate(der: der) else { throw .unreadable }
        defer { ERR_clear_error() }
        guard let key = certificate.publicKey, certificate.handle.borrow({ X509_self_signed($0, 1) }) == 1 else {
            throw .wrongShape
        }
        self.init(key: key, validity: .min ... .max)
    }
}

/// Why certificates do not form such a chain.
public enum ChainError: Error, Equatable {
    /// Not one DER certificate.
    case unreadable
    /// There is no path to a trusted root.
    case untrusted
    /// There is a path, but it lacks the shape of Apple's: length, markers, kind of key.
    case wrongShape
}
