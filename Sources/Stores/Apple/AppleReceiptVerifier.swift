internal import Crypto
public import Domain
public import StoreInterface

/// Proves App Store receipts without asking Apple, and says what they mean.
///
/// A receipt shows what was bought when it was made, and stays valid for ever, after a refund too: it may extend access,
/// or carry a cancellation, and never shortens access. Any thread may verify, several at a time.
public struct AppleReceiptVerifier: Sendable {
    public let configuration: AppleConfiguration
    private let messages: MessageVerifier

    public init(_ configuration: AppleConfiguration) {
        self.configuration = configuration
        messages = MessageVerifier(roots: configuration.roots)
    }

    /// For the same apps as `verifier`.
    public init(beside verifier: AppleVerifier) {
        self.init(verifier.configuration)
    }

    /// One event for each contract, oldest purchase first; one that says nothing for a receipt without purchases.
    ///
    /// Their ids are the same for the same receipt, whoever posts it.
    public func verify(_ receipt: [UInt8], now: Instant) throws(VerificationError) -> [Event] {
        let message = try open(receipt)
        let content = try parse(message.content)
        guard let createdAt = content.createdAt else { throw .malformed(.invalidReceipt) }
        guard createdAt <= now + SignatureChecker.tolerance else { throw .untrusted(.signedInFuture) }
        // The signer of old receipts expired long ago.
        guard message.isValid(at: createdAt) else { throw .untrusted(.outsideValidity) }
        guard content.expiresAt.map({ now < $0 }) ?? true else { throw .untrusted(.outsideValidity) }
        let place = try ReceiptPlace(bundle: content.bundle, content.environment, configuration)
        let statement = ReceiptStatement(
            source: .receipt,
            place: place,
            signedAt: createdAt,
            catalog: configuration.catalog,
            body: receipt
        )
        return try statement.events(content.purchases)
    }

    /// What a receipt that nobody vouches for may be asked about: nothing of another app. A receipt of iOS 6 need not name
    /// its app; Apple's answer does.
    public func clue(in receipt: [UInt8]) -> ReceiptClue? {
        guard let clue = ReceiptClue(unproven: receipt) else { return nil }
        if clue.app == nil, ReceiptClue.isPropertyList(receipt) { return configuration.bundleIDs.isEmpty ? nil : clue }
        return configuration.bundleIDs.contains(clue.app) ? clue : nil
    }

    private func open(_ receipt: [UInt8]) throws(VerificationError) -> SignedMessage {
        do throws(MessageError) {
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

/// Whose receipt it is: the app first, then the environment.
struct ReceiptPlace {
    var app: String
    var environment: StoreEnvironment

    init(
        bundle: String?,
        _ environment: StoreEnvironment?,
        _ configuration: AppleConfiguration
    ) throws(VerificationError) {
        guard !configuration.bundleIDs.isEmpty else { throw .notConfigured }
        guard let bundle, isPlain(bundle), configuration.bundleIDs.contains(bundle) else { throw .wrongApp }
        guard let environment, configuration.environments.contains(environment) else { throw .wrongEnvironment }
        app = bundle
        self.environment = environment
    }
}
