internal import COpenSSL
public import Domain
internal import Synchronization

/// Checks Apple's three-part chain once per (leaf, intermediate) and remembers the verdict.
///
/// A P-384 check costs 0.7 ms and each document needs two of them, so the steady state must be a lookup. A verdict
/// holds at every instant of the chain's validity; the caller checks its own instant.
/// Any thread may verify. The lock covers the lookup and the insertion, never the cryptography.
public final class AppleChainVerifier: Sendable {
    private struct Memory {
        var chains: [[UInt8]: VerifiedChain] = [:]
        var oldestFirst: [[UInt8]] = []
    }

    let anchors: TrustAnchors
    private let capacity: Int
    private let memory = Mutex(Memory())

    /// Only genuine chains are remembered, so a peer cannot fill the memory; `capacity` bounds it anyway.
    public init(roots: TrustedRoots, capacity: Int = 64) {
        anchors = TrustAnchors(roots)
        self.capacity = capacity
    }

    /// Verifies the path from `leaf` through `intermediate` to a trusted root (RFC 5280 §6), ignoring the time.
    public func verify(leaf: [UInt8], intermediate: [UInt8]) throws(ChainError) -> VerifiedChain {
        let key = SHA256.hash(leaf + intermediate)
        if let known = memory.withLock({ $0.chains[key] }) { return known }
        let chain = try judge(leaf: leaf, intermediate: intermediate)
        memory.withLock { memory in
            guard memory.chains.updateValue(chain, forKey: key) == nil else { return }
            memory.oldestFirst.append(key)
            if memory.oldestFirst.count > capacity { memory.chains[memory.oldestFirst.removeFirst()] = nil }
        }
        return chain
    }

    /// The number of remembered verdicts.
    public var count: Int { memory.withLock { $0.chains.count } }
}

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

public enum ChainError: Error, Equatable, CustomStringConvertible {
    /// Not one DER certificate.
    case unreadable
    /// There is no path to a trusted root; the reason is OpenSSL's text.
    case untrusted(String)
    /// There is a path, but it lacks the shape of Apple's: length, markers, kind of key.
    case wrongShape

    public var description: String {
        switch self {
        case .unreadable: "a certificate cannot be read"
        case .untrusted(let reason): "no path to a trusted root: \(reason)"
        case .wrongShape: "the certificates do not have the shape of Apple's chain"
        }
    }
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
