import COpenSSL
public import Domain
import Glibc
import Synchronization

/// Checks Apple's three-part chain once per (leaf, intermediate) and remembers the verdict.
///
/// A P-384 check costs 0.7 ms and each document needs two of them, so the steady state must be a lookup. A verdict
/// holds at every instant of the chain's validity; the caller checks its own instant.
/// Any thread may verify.
public final class AppleChainVerifier: Sendable {
    private let anchors: TrustAnchors
    private let known: KnownChains

    /// Only genuine chains are remembered, so a peer cannot fill the memory; `capacity` bounds it anyway.
    public init(roots: TrustedRoots, capacity: Int = 64) {
        anchors = TrustAnchors(roots)
        known = KnownChains(capacity: capacity)
    }

    /// Verifies the path from `leaf` through `intermediate` to a trusted root (RFC 5280 §6), ignoring the time.
    public func verify(leaf: [UInt8], intermediate: [UInt8]) throws(ChainError) -> VerifiedChain {
        let certificates = (leaf + intermediate)[...]
        if let remembered = known.find(certificates) { return remembered.chain }
        let chain = try judge(leaf: leaf, intermediate: intermediate)
        known.add(certificates, chain: chain)
        return chain
    }

    /// The number of remembered verdicts.
    public var count: Int { known.count }
}

/// The check itself, which remembers nothing.
extension AppleChainVerifier {
    /// Extensions that mark Apple's certificates: receipt signing on the leaf, WWDR on the intermediate. Only their
    /// presence counts.
    enum Marker {
        static let leaf = "1.2.840.113635.100.6.11.1"
        static let intermediate = "1.2.840.113635.100.6.2.1"
    }

    /// Verifies the path, in strict mode, and its shape.
    private func judge(leaf: [UInt8], intermediate: [UInt8]) throws(ChainError) -> VerifiedChain {
        guard let leaf = Certificate(der: leaf), let intermediate = Certificate(der: intermediate) else {
            throw .unreadable
        }
        guard let path = path(from: leaf, through: intermediate) else { throw .untrusted }
        guard let validity = path.validityInApplesShape, path[1] == intermediate, let key = leaf.publicKey else {
            throw .wrongShape
        }
        return VerifiedChain(key: key, validity: validity)
    }

    private func path(from leaf: Certificate, through intermediate: Certificate) -> [Certificate]? {
        let untrusted = OPENSSL_sk_new_null()
        defer {
            OPENSSL_sk_free(untrusted)
            ERR_clear_error()
        }
        return leaf.handle.borrow { leaf in
            intermediate.handle.borrow { intermediate in
                OPENSSL_sk_push(untrusted, UnsafeRawPointer(intermediate))
                // At least 112 bits: RSA of 2048 bits, no SHA-1.
                return anchors.path(from: leaf, through: untrusted, flags: X509_V_FLAG_X509_STRICT, level: 2)
            }
        }
    }
}

/// Chains that were verified, by the exact bytes that they came in. Any thread may use it. Its lock never covers cryptography.
public final class KnownChains: Sendable {
    public typealias Known = (text: [UInt8], chain: VerifiedChain)

    private let capacity: Int
    /// The last used one first. It is nearly always the one that is asked for, and two texts differ within their first
    /// hundred bytes, where the leaf has its number.
    private let chains = Mutex<[Known]>([])

    public init(capacity: Int) { self.capacity = capacity }

    public var count: Int { chains.withLock { $0.count } }

    public func find(_ text: ArraySlice<UInt8>) -> Known? {
        chains.withLock { chains in
            guard let index = chains.firstIndex(where: { isSame($0.text, as: text) }) else { return nil }
            let found = chains[index]
            if index > 0 {
                chains.remove(at: index)
                chains.insert(found, at: 0)
            }
            return found
        }
    }

    /// The one that was not used for the longest time makes room.
    public func add(_ text: ArraySlice<UInt8>, chain: VerifiedChain) {
        chains.withLock { chains in
            // Another thread may have verified the same one meanwhile.
            guard !chains.contains(where: { isSame($0.text, as: text) }) else { return }
            chains.insert((Array(text), chain), at: 0)
            if chains.count > capacity { chains.removeLast() }
        }
    }
}

/// Uses `memcmp`, because comparing 4 KB element by element would take a tenth of the time of a signature.
private func isSame(_ known: [UInt8], as text: ArraySlice<UInt8>) -> Bool {
    text.withUnsafeBytes { text in
        guard known.count == text.count, let start = text.baseAddress else { return false }
        return memcmp(start, known, known.count) == 0
    }
}

/// A chain that leads to a trusted root: its leaf's key, and when the chain is valid.
public struct VerifiedChain: Sendable {
    public let key: PublicKey
    /// The overlap of the validity of leaf, intermediate and root; whole seconds, including both ends.
    let validity: ClosedRange<Int64>

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

/// Why certificates do not form such a chain, or a message is not of the one that it has.
public enum ChainError: Error, Equatable {
    /// Not one DER certificate, or not a CMS message with signed data.
    case unreadable
    /// There is no path to a trusted root.
    case untrusted
    /// There is a path, but it lacks the shape of Apple's: length, markers, kind of key.
    case wrongShape
    /// The chain is Apple's, but its leaf has not signed the message.
    case badSignature
}
