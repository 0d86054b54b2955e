import Crypto
import Domain
import Encoding
import Glibc
import Synchronization

/// Opens Apple's signed documents. It verifies each JWS on its own, always in the same order, and never reads a payload
/// before its signature has been verified. Any thread may use it.
final class AppleSignatureVerifier: Sendable {
    /// How far a store's clock may be ahead of ours.
    static let tolerance: Duration = .seconds(300)

    /// Nil: it trusts whatever single certificate has signed itself.
    private let chains: AppleChainVerifier?
    let known = VerifiedHeaders()

    /// `roots` are Apple's, or those that stand in for them. Nil, in development only, for Xcode, which makes a certificate of its
    /// own on each machine.
    init(roots: TrustedRoots?) {
        chains = roots.map { AppleChainVerifier(roots: $0) }
    }

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
        guard chains != nil, let jws = try? JWS(text) else { return nil }
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
        guard let chains else {
            let certificate = try header.onlyCertificate()
            return try proven { () throws(ChainError) in try VerifiedChain(selfSigned: certificate) }
        }
        let (leaf, intermediate) = try header.chain()
        return try proven { () throws(ChainError) in try chains.verify(leaf: leaf, intermediate: intermediate) }
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

    /// Leaf and intermediate in DER. The third certificate is ignored: only our own roots are trusted.
    func chain() throws(VerificationError) -> (leaf: [UInt8], intermediate: [UInt8]) {
        guard let x5c, x5c.count == 3, let leaf = Base64.decode(x5c[0]), let intermediate = Base64.decode(x5c[1])
        else { throw .malformed(.invalidCertificates) }
        return (leaf, intermediate)
    }

    /// In DER. Apple always sends three certificates, and Xcode one.
    func onlyCertificate() throws(VerificationError) -> [UInt8] {
        guard let x5c, x5c.count == 1, let certificate = Base64.decode(x5c[0]) else {
            throw .malformed(.invalidCertificates)
        }
        return certificate
    }
}

/// The headers of documents that were genuine, by their exact bytes: Apple sends the same 4 KB with every document, and a
/// header that was proven once gives its key without Base64, JSON and certificates.
///
/// Only a valid signature under a proven chain adds one, so nobody but the store can fill it or push anything out of it.
/// It belongs to one set of roots: a reload begins with an empty one. Apple publishes no list of revoked leaves to look
/// at, so what ends a header is its chain's last day, which the reader of a document compares with the document's date. Any
/// thread may use it.
final class VerifiedHeaders: Sendable {
    struct Header: Sendable {
        let text: [UInt8]
        let chain: VerifiedChain
    }

    private let capacity: Int
    /// The last used one first. It is nearly always the one that is asked for, and two headers differ within their first
    /// hundred bytes, where the leaf has its number.
    private let headers = Mutex<[Header]>([])

    init(capacity: Int = 32) {
        self.capacity = capacity
    }

    var count: Int { headers.withLock { $0.count } }

    func find(_ text: ArraySlice<UInt8>) -> Header? {
        headers.withLock { headers in
            guard let index = headers.firstIndex(where: { isSame($0.text, as: text) }) else { return nil }
            let found = headers[index]
            if index > 0 {
                headers.remove(at: index)
                headers.insert(found, at: 0)
            }
            return found
        }
    }

    /// The one that was not used for the longest time makes room.
    func add(_ text: ArraySlice<UInt8>, chain: VerifiedChain) {
        headers.withLock { headers in
            // Another thread may have verified the same header meanwhile.
            guard !headers.contains(where: { isSame($0.text, as: text) }) else { return }
            headers.insert(Header(text: Array(text), chain: chain), at: 0)
            if headers.count > capacity { headers.removeLast() }
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
