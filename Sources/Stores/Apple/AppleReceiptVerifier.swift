internal import Crypto
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

    /// Serves the same apps as `verifier`.
    public init(beside verifier: AppleVerifier) {
        self.init(verifier.configuration)
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
        let place = try ReceiptPlace(
            bundle: content.bundle,
            environment: content.environment,
            configuration: configuration
        )
        let statement = ReceiptStatement(
            source: .receipt,
            place: place,
            signedAt: createdAt,
            catalog: configuration.catalog,
            body: receipt
        )
        return try statement.events(content.purchases)
    }

    /// What to ask Apple about an unverified receipt; nil for another app's receipt. A receipt from iOS 6 need not name
    /// its app, but Apple's answer does.
    public func clue(in receipt: [UInt8]) -> ReceiptClue? {
        guard let clue = ReceiptClue(unproven: receipt) else { return nil }
        if clue.app == nil, ReceiptClue.isPropertyList(receipt) { return configuration.bundleIDs.isEmpty ? nil : clue }
        return configuration.bundleIDs.contains(clue.app) ? clue : nil
    }

    private func open(_ receipt: [UInt8]) throws(VerificationError) -> VerifiedCMSMessage {
        do throws(CMSError) {
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

extension ReceiptPlace {
    /// Checks the app first, then the environment.
    init(
        bundle: String?,
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
            let place = try ReceiptPlace(bundle: answer.bundle, environment: environment, configuration: configuration)
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

/// Apple's API as a receipt needs it: without an answer, the receipt is judged by its own content. A key that Apple does
/// not accept (Production, before the first release) or an invalid id therefore means that Apple cannot be asked, not
/// that the app should try again.
struct AppleReceiptLookup {
    let api: AppleServerAPI
    let apps: [String]

    /// Apple's own statements about everything that the buyer behind one transaction id has bought: verified events, to be
    /// committed like a webhook's. A clue that names no app may belong to any of them. Blocks.
    func statements(behind clue: ReceiptClue, now: Instant) throws(AppleLookupError) -> [Event] {
        for app in clue.app.map({ [$0] }) ?? apps {
            do throws(StoreAPIError) {
                return try api.of(app).statements(of: clue.transactionID, in: clue.environment, now: now)
            } catch {
                switch error {
                case .unavailable, .unreadable, .notYetKnown: throw .unreachable(error)
                case .unauthorized, .refused: continue
                }
            }
        }
        throw .unknownTransaction
    }
}

enum AppleLookupError: Error, Equatable {
    /// No answer, or an unusable one. A retry may succeed.
    case unreachable(StoreAPIError)
    /// Apple knows no such transaction.
    case unknownTransaction
}
