import Crypto
import Domain
import Testing

@Suite struct AppleChainVerifierTests {
    private static let authority = Result { try DevelopmentAuthority.create() }

    private func verifier(capacity: Int = 64) throws -> (AppleChainVerifier, [[UInt8]]) {
        let authority = try Self.authority.get()
        let roots = try #require(TrustedRoots(pem: authority.root))
        return (AppleChainVerifier(roots: roots, capacity: capacity), authority.chain)
    }

    @Test func leafSpeaksForItsKey() throws {
        let (verifier, chain) = try verifier()
        let verified = try verifier.verify(leaf: chain[0], intermediate: chain[1])
        let message = Array("header.payload".utf8)
        let signature = try Self.authority.get().leafKey.signature(for: message)
        #expect(verified.key.isValid(signature, for: message[...]))
        #expect(!verified.key.isValid(signature, for: message.dropLast()))
        #expect(!verified.key.isValid(Array(signature.dropLast()), for: message[...]))
    }

    @Test func verdictIsRememberedOnce() throws {
        let (verifier, chain) = try verifier()
        for _ in 0..<3 { _ = try verifier.verify(leaf: chain[0], intermediate: chain[1]) }
        #expect(verifier.count == 1)
    }

    @Test func refusalsAreNotRemembered() throws {
        let (verifier, chain) = try verifier()
        for _ in 0..<3 {
            #expect(throws: ChainError.self) { try verifier.verify(leaf: chain[1], intermediate: chain[0]) }
        }
        #expect(throws: ChainError.unreadable) { try verifier.verify(leaf: [], intermediate: chain[1]) }
        #expect(verifier.count == 0)
    }

    @Test func memoryIsBounded() throws {
        let validity = DevelopmentAuthority.validity
        let root = try CertificateIssuer.selfSigned(.root(validity: validity), key: .generate(.p384))
        let intermediate = try root.issue(.intermediate(validity: validity), for: .generate(.p384))
        let verifier = AppleChainVerifier(roots: try #require(TrustedRoots([root.certificate])), capacity: 3)
        for _ in 0..<5 {
            let leaf = try intermediate.issue(.leaf(validity: validity), for: .generate(.p256))
            _ = try verifier.verify(leaf: leaf.certificate, intermediate: intermediate.certificate)
        }
        #expect(verifier.count == 3)
    }

    @Test func unusedChainMakesRoom() throws {
        let (verifier, certificates) = try verifier()
        let chain = try verifier.verify(leaf: certificates[0], intermediate: certificates[1])
        let chains = KnownChains(capacity: 2)
        for text in ["first", "second"] { chains.add(Array(text.utf8)[...], chain: chain) }
        #expect(chains.find(Array("first".utf8)[...]) != nil)
        chains.add(Array("third".utf8)[...], chain: chain)
        #expect(["first", "second", "third"].map { chains.find(Array($0.utf8)[...]) != nil } == [true, false, true])
        #expect(chains.find([]) == nil)
    }

    @Test func windowIsWhereAllThreeOverlap() throws {
        func years(_ first: Int64, to last: Int64) -> ClosedRange<Instant> {
            let year: Int64 = 31_536_000_000
            return Instant(milliseconds: first * year)...Instant(milliseconds: last * year)
        }
        let root = try CertificateIssuer.selfSigned(.root(validity: years(10, to: 40)), key: .generate(.p384))
        let intermediate = try root.issue(.intermediate(validity: years(20, to: 50)), for: .generate(.p384))
        let leaf = try intermediate.issue(.leaf(validity: years(5, to: 60)), for: .generate(.p256))
        let verifier = AppleChainVerifier(roots: try #require(TrustedRoots([root.certificate])))
        let chain = try verifier.verify(leaf: leaf.certificate, intermediate: intermediate.certificate)
        let (start, end) = (years(20, to: 40).lowerBound, years(20, to: 40).upperBound)
        #expect(!chain.isValid(at: start - .seconds(1)))
        #expect(chain.isValid(at: start))
        #expect(chain.isValid(at: end))
        #expect(!chain.isValid(at: end + .seconds(1)))
    }

    @Test func threadsShareOneVerifier() async throws {
        let (verifier, chain) = try verifier()
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<50).allSatisfy { _ in
                        (try? verifier.verify(leaf: chain[0], intermediate: chain[1])) != nil
                    }
                }
            }
            for await isGood in group { #expect(isGood) }
        }
        #expect(verifier.count == 1)
    }
}
