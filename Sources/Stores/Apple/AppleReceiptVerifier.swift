import Crypto
public import Domain
public import Encoding

/// Verifies App Store receipts without asking Apple, and interprets them.
///
/// A receipt shows what had been bought when it was made, and stays valid forever, even after a refund. So it may
/// extend access or carry a cancellation, but never shortens access. Several threads may verify at the same time.
public struct AppleReceiptVerifier: Sendable {
    public let configuration: AppleConfiguration
    private let messages: CMSVerifier

    public init(_ configuration: AppleConfiguration) {
        self.configuration = configuration
        messages = CMSVerifier(roots: configuration.roots)
    }

    /// Returns one event for each contract, oldest purchase first; for a receipt without purchases, one event that says
    /// nothing.
    ///
    /// The event ids depend only on the receipt, not on who posts it.
    public func verify(_ receipt: [UInt8], now: Instant) throws(VerificationError) -> [Event] {
        let message = try open(receipt)
        let content = try parse(message.content)
        guard let createdAt = content.createdAt else { throw .malformed(.invalidReceipt) }
        guard createdAt <= now + AppleSignatureVerifier.tolerance else { throw .untrusted(.signedInFuture) }
        // The certificate of an old receipt's signer expired long ago.
        guard message.isValid(at: createdAt) else { throw .untrusted(.outsideValidity) }
        guard content.expiresAt.map({ now < $0 }) ?? true else { throw .untrusted(.outsideValidity) }
        let place = try ApplePlace(content.bundle, environment: content.environment, configuration: configuration)
        let catalog = configuration.catalog
        let all = ReceiptStatement(source: .receipt, place: place, signedAt: createdAt, catalog: catalog, body: receipt)
        return try all.events(content.purchases)
    }

    /// What to ask Apple about an unverified receipt; nil for another app's receipt. A receipt from iOS 6 need not name
    /// its app, but Apple's answer does.
    public func clue(in receipt: [UInt8]) -> ReceiptClue? {
        guard let clue = ReceiptClue(unproven: receipt) else { return nil }
        if clue.app == nil, ReceiptClue.isPropertyList(receipt) { return configuration.bundleIDs.isEmpty ? nil : clue }
        return configuration.bundleIDs.contains(clue.app) ? clue : nil
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

    private func parse(_ content: [UInt8]) throws(VerificationError) -> AppReceipt {
        do {
            return try AppReceipt(content)
        } catch {
            throw .malformed(.invalidReceipt)
        }
    }
}

extension ApplePlace {
    /// Checks the app first, then the environment.
    fileprivate init(
        _ bundle: String?,
        environment: StoreEnvironment?,
        configuration: AppleConfiguration
    ) throws(VerificationError) {
        guard !configuration.bundleIDs.isEmpty else { throw .notConfigured }
        guard let bundle, isValidIdentifier(bundle), configuration.bundleIDs.contains(bundle) else { throw .wrongApp }
        guard let environment, configuration.environments.contains(environment) else { throw .wrongEnvironment }
        self.init(app: bundle, environment: environment)
    }
}

extension AppleReceiptVerifier {
    /// Interprets a stored answer of `verifyReceipt`, for apps that bring their subscribers along.
    ///
    /// The answer is not signed: the client that may post it vouches for it. It is dated by the request that Apple
    /// answered, so that every statement that Apple signed later wins, in whatever order they arrive. `environment` is
    /// the one that was asked, for answers that do not name it; `body` is what the ledger stores.
    public func migrate(
        _ node: JSONNode,
        environment asked: StoreEnvironment?,
        body: [UInt8],
        now: Instant
    ) throws(VerifyReceiptProblem) -> [Event] {
        guard let answer = VerifyReceiptAnswer(node) else { throw .refused(.malformed(.invalidReceipt)) }
        if let problem = VerifyReceiptProblem(status: answer.status, isRetryable: answer.isRetryable) { throw problem }
        guard answer.environment != nil || asked != nil else { throw .unknownEnvironment }
        let environment = answer.environment.map { StoreEnvironment(rawValue: $0) } ?? asked
        do throws(VerificationError) {
            let place = try ApplePlace(answer.bundle, environment: environment, configuration: configuration)
            guard let asOf = answer.requestedAt else { throw .malformed(.invalidReceipt) }
            guard asOf <= now + AppleSignatureVerifier.tolerance else { throw .untrusted(.signedInFuture) }
            let statement = ReceiptStatement(
                source: .verifyReceipt,
                place: place,
                signedAt: asOf,
                catalog: configuration.catalog,
                renewals: answer.renewals,
                body: body
            )
            return try statement.events(answer.purchases)
        } catch {
            throw .refused(error)
        }
    }
}
