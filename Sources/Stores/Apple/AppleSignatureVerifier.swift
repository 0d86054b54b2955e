internal import Crypto
internal import Domain
internal import Glibc
internal import Synchronization

/// Opens Apple's signed documents. It verifies each JWS on its own, always in the same order, and never reads a payload
/// before its signature has been verified. Any thread may use it.
final class AppleSignatureVerifier: Sendable {
    /// How far a store's clock may be ahead of ours.
    static let tolerance: Duration = .seconds(300)

    private enum Trust {
        /// Apple's roots, or those that stand in for them.
        case roots(AppleChainVerifier)
        /// Whatever single certificate has signed itself: Xcode makes one on each machine.
        case selfSigned
    }

    private let trust: Trust
    /// Headers of documents that were genuine, newest last: Apple sends the same 4 KB header with every document.
    /// A peer cannot push Apple's header out, because only a valid signature adds a header.
    private let known = Mutex<[(header: [UInt8], chain: VerifiedChain)]>([])

    init(roots: TrustedRoots) {
        trust = .roots(AppleChainVerifier(roots: roots))
    }

    private init(_ trust: Trust) {
        self.trust = trust
    }

    /// For development only. It shares no memory with the one for Apple's documents.
    static func forXcode() -> AppleSignatureVerifier { AppleSignatureVerifier(.selfSigned) }

    /// Whether a signed text has a single certificate, as Xcode's have, and never Apple's.
    static func isInXcodesForm(_ text: String) -> Bool {
        guard let jws = try? JWS(text), let header = try? JWSHeader(jws.header) else { return false }
        return header.x5c?.count == 1
    }

    func open<Document: SignedDocument>(
        _ type: Document.Type,
        from text: String,
        now: Instant
    ) throws(VerificationError) -> Document {
        let jws = try JWS(text)
        let remembered = chain(knownBy: jws.header)
        let chain = if let remembered { remembered } else { try prove(jws.header) }
        guard chain.key.isValid(jws.signature, for: jws.signedBytes) else { throw .untrusted(.badSignature) }
        if remembered == nil { remember(jws.header, chain: chain) }
        let document = try read(type, from: try jws.payload())
        let signedAt = document.signedAt ?? now
        guard signedAt <= now + AppleSignatureVerifier.tolerance else { throw .untrusted(.signedInFuture) }
        guard chain.isValid(at: signedAt) else { throw .untrusted(.outsideValidity) }
        return document
    }

    private func read<Document: SignedDocument>(
        _ type: Document.Type,
        from payload: [UInt8]
    ) throws(VerificationError) -> Document {
        guard let object = try? StoreObject(payload) else { throw .malformed(.invalidPayload) }
        return try Document(object)
    }

    private func prove(_ segment: ArraySlice<UInt8>) throws(VerificationError) -> VerifiedChain {
        let header = try JWSHeader(segment)
        switch trust {
        case .roots(let chains):
            let (leaf, intermediate) = try header.chain()
            return try proven { () throws(ChainError) in try chains.verify(leaf: leaf, intermediate: intermediate) }
        case .selfSigned:
            let certificate = try header.onlyCertificate()
            return try proven { () throws(ChainError) in try VerifiedChain(selfSigned: certificate) }
        }
    }

    private func proven(_ chain: () throws(ChainError) -> VerifiedChain) throws(VerificationError) -> VerifiedChain {
        do {
            return try chain()
        } catch .unreadable {
            throw .malformed(.invalidCertificates)
        } catch {
            throw .untrusted(.untrustedChain)
        }
    }

    private func chain(knownBy header: ArraySlice<UInt8>) -> VerifiedChain? {
        known.withLock { known in known.first { isSame($0.header, as: header) }?.chain }
    }

    private func remember(_ header: ArraySlice<UInt8>, chain: VerifiedChain) {
        known.withLock { known in
            // Another thread may have verified the same header meanwhile.
            guard !known.contains(where: { isSame($0.header, as: header) }) else { return }
            known.append((Array(header), chain))
            if known.count > 8 { known.removeFirst() }
        }
    }
}

/// A document that Apple signs.
protocol SignedDocument {
    init(_ document: StoreObject) throws(VerificationError)
    /// The signing date that it states: the instant at which its certificates must be valid.
    var signedAt: Instant? { get }
}

/// Uses `memcmp`, because comparing 4 KB element by element would take a tenth of the time of a signature.
private func isSame(_ known: [UInt8], as header: ArraySlice<UInt8>) -> Bool {
    header.withUnsafeBytes { header in
        guard known.count == header.count, let start = header.baseAddress else { return false }
        return memcmp(start, known, known.count) == 0
    }
}
