import Crypto
import Domain
import Encoding

/// Opens Apple's signed documents. It verifies each JWS on its own, always in the same order, and never reads a payload
/// before its signature has been verified. Any thread may use it.
final class AppleSignatureVerifier: Sendable {
    /// How far a store's clock may be ahead of ours.
    static let tolerance: Duration = .seconds(300)

    /// Nil: it trusts whatever single certificate has signed itself.
    private let chains: AppleChainVerifier?
    /// Receives the date of a genuine document that is ahead of our clock.
    private let timed: @Sendable (StoreTime) -> Void
    /// The headers of documents that were genuine: Apple sends the same 4 KB with every document, and a header that was
    /// proven once gives its key without Base64, JSON and certificates.
    ///
    /// Only a valid signature under a proven chain adds one, so nobody but the store can fill it or push anything out of
    /// it. It belongs to one set of roots: a reload begins with an empty one. Apple publishes no list of revoked leaves to
    /// look at, so what ends a header is its chain's last day, which is compared with each document's date.
    let known = KnownChains(capacity: 32)

    /// `roots` are Apple's, or those that stand in for them. Nil, in development only, for Xcode, which makes a certificate of its
    /// own on each machine.
    init(roots: TrustedRoots?, timed: @escaping @Sendable (StoreTime) -> Void = { _ in }) {
        self.timed = timed
        chains = roots.map { AppleChainVerifier(roots: $0) }
    }

    /// Whether a signed text has a single certificate, as Xcode's have, and never Apple's.
    static func isInXcodesForm(_ text: String) -> Bool {
        guard let jws = try? JWS(text), let header = try? JWSHeader(jws.header) else { return false }
        return header.x5c?.count == 1
    }

    /// The document, and its header for the ledger if that has come before: the ledger then keeps it once for all bodies,
    /// while one that never comes again would only add a row for each event. Nil for Xcode's, which anybody may make.
    func open<Document: SignedDocument>(
        _ type: Document.Type,
        from text: String,
        now: Instant
    ) throws(VerificationError) -> (document: Document, header: [UInt8]?) {
        let jws = try JWS(text)
        let remembered = known.find(jws.header)
        let chain = if let remembered { remembered.chain } else { try prove(jws.header) }
        guard chain.key.isValid(jws.signature, for: jws.signedBytes) else { throw .untrusted(.badSignature) }
        if remembered == nil { known.add(jws.header, chain: chain) }
        let payload = try jws.payload()
        guard let object = try? StoreObject(payload) else { throw .malformed(.invalidPayload) }
        let document = try Document(object)
        let signedAt = document.signedAt ?? now
        guard signedAt <= now + AppleSignatureVerifier.tolerance else {
            timed(.signed(signedAt))
            throw .untrusted(.signedInFuture)
        }
        guard chain.isValid(at: signedAt) else { throw .untrusted(.outsideValidity) }
        return (document, chains == nil ? nil : remembered?.text)
    }

    private func prove(_ segment: ArraySlice<UInt8>) throws(VerificationError) -> VerifiedChain {
        let certificates = try JWSHeader(segment).certificates(chains == nil ? 1 : 3)
        do throws(ChainError) {
            guard let chains else { return try VerifiedChain(selfSigned: certificates[0]) }
            return try chains.verify(leaf: certificates[0], intermediate: certificates[1])
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

/// The header of Apple's JWS: ES256, its certificates, and nothing that would change what the signature means.
struct JWSHeader {
    let x5c: [String]?

    init(_ segment: ArraySlice<UInt8>) throws(VerificationError) {
        guard let json = Base64URL.decode(segment), let header = StoreObject(JSONNode(json)) else {
            throw .malformed(.invalidJWS)
        }
        let algorithm: String?
        do throws(VerificationError) {
            algorithm = try header.string("alg")
            x5c = try header.strings("x5c")
        } catch {
            throw .malformed(.invalidJWS)
        }
        guard algorithm == "ES256" else { throw .malformed(.unsupportedAlgorithm) }
        guard header["crit"] == nil, header["b64"] == nil else { throw .malformed(.unsupportedHeader) }
    }

    /// In DER, of a header that has `count`: Apple always sends three, and Xcode one. The third is not decoded: only our own
    /// roots are trusted.
    func certificates(_ count: Int) throws(VerificationError) -> [[UInt8]] {
        let decoded = x5c?.prefix(2).compactMap { Base64.decode($0) } ?? []
        guard x5c?.count == count, decoded.count == min(count, 2) else { throw .malformed(.invalidCertificates) }
        return decoded
    }
}
