import Crypto
import Domain
import Encoding

/// App Store receipts, verified without asking Apple, and interpreted.
///
/// A receipt shows what had been bought when it was made, and stays valid forever, even after a refund. So it may
/// extend access or carry a cancellation, but never shortens access.
extension AppleVerifier {
    /// Returns one event for each contract, oldest purchase first; for a receipt without purchases, one event that says
    /// nothing.
    ///
    /// The event ids depend only on the receipt, not on who posts it.
    func verify(receipt: [UInt8], now: Instant) throws(VerificationError) -> [Event] {
        let message = try open(receipt)
        guard let content = try? AppReceipt(message.content), let createdAt = content.statedAt else {
            throw .malformed(.invalidReceipt)
        }
        guard createdAt <= now + AppleSignatureVerifier.tolerance else { throw .untrusted(.signedInFuture) }
        // The certificate of an old receipt's signer expired long ago.
        guard message.isValid(at: createdAt) else { throw .untrusted(.outsideValidity) }
        guard content.expiresAt.map({ now < $0 }) ?? true else { throw .untrusted(.outsideValidity) }
        return try events(of: content, at: try place(of: content), signedAt: createdAt, body: receipt)
    }

    /// Interprets a stored answer of `verifyReceipt`, for apps that bring their subscribers along.
    ///
    /// The answer is not signed: the client that may post it vouches for it. It is dated by the request that Apple
    /// answered, so that every statement that Apple signed later wins, in whatever order they arrive. `environment` is
    /// the one that was asked, for answers that do not name it; `body` is what the ledger stores.
    func migrate(
        _ answer: JSONNode,
        environment: StoreEnvironment?,
        body: [UInt8],
        now: Instant
    ) throws(RefusedPurchase) -> [Event] {
        let content = try AppReceipt(answer: answer, environment: environment)
        do throws(VerificationError) {
            let place = try place(of: content)
            guard let asOf = content.statedAt else { throw .malformed(.invalidReceipt) }
            guard asOf <= now + AppleSignatureVerifier.tolerance else { throw .untrusted(.signedInFuture) }
            return try events(of: content, at: place, signedAt: asOf, body: body)
        } catch {
            throw .unproven(error)
        }
    }

    /// What to ask Apple about an unverified receipt; nil for another app's receipt. A receipt from iOS 6 need not name
    /// its app, but Apple's answer does.
    func clue(in receipt: [UInt8]) -> ReceiptClue? {
        guard let clue = ReceiptClue(unproven: receipt) else { return nil }
        if clue.app == nil, ReceiptClue.isPropertyList(receipt) { return bundleIDs.isEmpty ? nil : clue }
        return bundleIDs.contains(clue.app) ? clue : nil
    }

    private func open(_ receipt: [UInt8]) throws(VerificationError) -> VerifiedCMSMessage {
        do throws(ChainError) {
            return try messages.verify(receipt)
        } catch .unreadable {
            throw .malformed(.invalidReceipt)
        } catch .badSignature {
            throw .untrusted(.badSignature)
        } catch {
            throw .untrusted(.untrustedChain)
        }
    }

    /// Checks the app first, then the environment.
    private func place(of receipt: AppReceipt) throws(VerificationError) -> ApplePlace {
        guard !bundleIDs.isEmpty else { throw .notConfigured }
        guard let app = receipt.bundle, isValidIdentifier(app), bundleIDs.contains(app) else {
            throw .wrongApp
        }
        guard let environment = receipt.environment, environments.contains(environment) else {
            throw .wrongEnvironment
        }
        return ApplePlace(app: app, environment: environment)
    }

    private func events(
        of receipt: AppReceipt,
        at place: ApplePlace,
        signedAt: Instant,
        body: [UInt8]
    ) throws(VerificationError) -> [Event] {
        try ReceiptStatement(receipt: receipt, place: place, signedAt: signedAt, catalog: catalog, body: body)
            .events()
    }
}
