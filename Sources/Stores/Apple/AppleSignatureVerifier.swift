internal import Crypto
internal import Domain

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
    let known = VerifiedHeaders()

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
        let remembered = known.find(jws.header)
        let chain = if let remembered { remembered.chain } else { try prove(jws.header) }
        guard chain.key.isValid(jws.signature, for: jws.signedBytes) else { throw .untrusted(.badSignature) }
        if remembered == nil { known.add(jws.header, chain: chain) }
        let document = try read(type, from: try jws.payload())
        let signedAt = document.signedAt ?? now
        guard signedAt <= now + AppleSignatureVerifier.tolerance else { throw .untrusted(.signedInFuture) }
        guard chain.isValid(at: signedAt) else { throw .untrusted(.outsideValidity) }
        return document
    }

    /// The header of a document that was opened, for the ledger, which keeps it once. Nil for Xcode's, which anybody
    /// may make.
    func header(of text: String) -> [UInt8]? {
        guard case .roots = trust else { return nil }
        guard let jws = try? JWS(text) else { return nil }
        return known.find(jws.header)?.text
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
}

/// A document that Apple signs.
protocol SignedDocument {
    init(_ document: StoreObject) throws(VerificationError)
    /// The signing date that it states: the instant at which its certificates must be valid.
    var signedAt: Instant? { get }
}
