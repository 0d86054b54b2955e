#if os(tvOS) || os(watchOS) || os(visionOS)
    #error("PaycastKit is for iOS, iPadOS, Mac Catalyst and macOS: elsewhere the store shows its sheets in other ways.")
#endif

#if canImport(StoreKit)
    public import Foundation
    internal import StoreKit

    /// Apple's store: StoreKit's values turned into the kit's, and nothing decided.
    public struct StoreKitStore: Store {
        private let seen = SeenTransactions()

        public init() {}

        public func purchase(
            _ id: String,
            token: UUID,
            offer: PurchaseOffer?
        ) async throws(PurchaseError) -> StoreOutcome {
            guard AppStore.canMakePayments else { throw .notAllowed }
            guard let product = try await call({ try await Product.products(for: [id]) }).first else {
                throw .unknownProduct
            }
            var options: Set<Product.PurchaseOption> = [.appAccountToken(token)]
            if let offer { options.formUnion(try offer.options(of: product)) }
            do {
                return try await confirm(product, options: options)
            } catch StoreKitError.userCancelled {
                return .cancelled
            } catch {
                throw PurchaseError(error)
            }
        }

        public func updates() -> AsyncStream<StoreUpdate> {
            AsyncStream { continuation in
                // One task for the whole process: transactions go by only once.
                let transactions = Task(priority: .utility) {
                    for await result in Transaction.updates {
                        await seen.note(result)
                        switch result {
                        case .verified: if let signed = result.signed { continuation.yield(.signed(signed)) }
                        case .unverified(let transaction, _):
                            continuation.yield(.unverified(product: transaction.productID))
                        }
                    }
                    continuation.finish()
                }
                // A cancellation, a grace period and a failed renewal sign no new transaction.
                let statuses = Task(priority: .utility) {
                    for await status in Product.SubscriptionInfo.Status.updates {
                        if let signed = status.signed { continuation.yield(.signed(signed)) }
                    }
                }
                continuation.onTermination = { _ in
                    transactions.cancel()
                    statuses.cancel()
                }
            }
        }

        public func unfinished() async -> [SignedTransaction] { await all(Transaction.unfinished) }

        public func owned() async -> [SignedTransaction] { await all(Transaction.currentEntitlements) }

        public func appTransaction() async throws(PurchaseError) -> SignedAppTransaction {
            let result = try await call { try await AppTransaction.shared }
            guard case .verified(let download) = result else { throw .unverified }
            return SignedAppTransaction(id: download.appTransactionID, jws: result.jwsRepresentation)
        }

        public func sync() async throws(PurchaseError) {
            try await call { try await AppStore.sync() }
        }

        public func finish(_ id: UInt64) async {
            if let transaction = await seen.take(id) { return await transaction.finish() }
            for await result in Transaction.unfinished where result.content.id == id { await result.content.finish() }
        }

        @MainActor
        private func confirm(_ product: Product, options: Set<Product.PurchaseOption>) async throws -> StoreOutcome {
            switch try await sheet(for: product, options: options) {
            case .success(let result):
                await seen.note(result)
                return result.signed.map { .bought($0) } ?? .unverified
            case .userCancelled: return .cancelled
            case .pending: return .pending
            @unknown default: throw PurchaseError.store("an unknown result of a purchase")
            }
        }

        /// With several windows, the sheet belongs to the one in front.
        @MainActor
        private func sheet(
            for product: Product,
            options: Set<Product.PurchaseOption>
        ) async throws -> Product.PurchaseResult {
            #if canImport(UIKit)
                if #available(iOS 17, *), let scene = ActiveScene.current {
                    return try await product.purchase(confirmIn: scene, options: options)
                }
            #endif
            return try await product.purchase(options: options)
        }

        private func all(_ transactions: Transaction.Transactions) async -> [SignedTransaction] {
            var signed: [SignedTransaction] = []
            for await result in transactions {
                await seen.note(result)
                if let transaction = result.signed { signed.append(transaction) }
            }
            return signed
        }

        func call<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws(PurchaseError) -> Value {
            do {
                return try await body()
            } catch {
                throw PurchaseError(error)
            }
        }
    }

    /// What the store has handed over and is to finish: to look each up again would read the whole list each time.
    private actor SeenTransactions {
        private var transactions: [UInt64: Transaction] = [:]

        func note(_ result: VerificationResult<Transaction>) { transactions[result.content.id] = result.content }

        func take(_ id: UInt64) -> Transaction? { transactions.removeValue(forKey: id) }
    }

    extension PurchaseError {
        /// What no second try cures has a case of its own.
        init(_ error: any Error) {
            switch error {
            case let error as PurchaseError: self = error
            case StoreKitError.networkError: self = .offline
            case StoreKitError.userCancelled: self = .cancelled
            case StoreKitError.notAvailableInStorefront, Product.PurchaseError.productUnavailable: self = .notAvailable
            case Product.PurchaseError.purchaseNotAllowed: self = .notAllowed
            case Product.PurchaseError.ineligibleForOffer: self = .notEligible
            case Product.PurchaseError.invalidOfferIdentifier: self = .unknownOffer
            case Transaction.RefundRequestError.duplicateRequest: self = .alreadyRequested
            default: self = .store(String(describing: error))
            }
        }
    }

    extension SignedTransaction.ProductType {
        init?(_ type: Product.ProductType) {
            switch type {
            case .consumable: self = .consumable
            case .nonConsumable: self = .nonConsumable
            case .autoRenewable: self = .autoRenewable
            case .nonRenewable: self = .nonRenewable
            default: return nil
            }
        }
    }

    extension VerificationResult where SignedType == Transaction {
        /// The device's doubt about a signature is no reason to keep what the server has.
        fileprivate var content: Transaction {
            switch self {
            case .verified(let transaction), .unverified(let transaction, _): transaction
            }
        }

        /// Nil if the device found the signature forged.
        fileprivate var signed: SignedTransaction? {
            guard case .verified(let transaction) = self else { return nil }
            var signed = SignedTransaction(
                id: transaction.id,
                product: transaction.productID,
                jws: jwsRepresentation,
                signedDate: transaction.signedDate,
                token: transaction.appAccountToken
            )
            signed.originalID = transaction.originalID
            signed.isRevoked = transaction.revocationDate != nil
            signed.isUpgraded = transaction.isUpgraded
            signed.isFamilyShared = transaction.ownershipType == .familyShared
            signed.productType = SignedTransaction.ProductType(transaction.productType)
            signed.expiresAt = transaction.expirationDate
            return signed
        }
    }

    extension Product.SubscriptionInfo.Status {
        /// Nil if the device found either signature forged.
        fileprivate var signed: SignedTransaction? {
            guard var signed = transaction.signed, case .verified(let info) = renewalInfo,
                info.originalTransactionID == signed.originalID
            else { return nil }
            signed.renewalInfo = renewalInfo.jwsRepresentation
            signed.renewalInfoSignedDate = info.signedDate
            return signed
        }
    }

    /// Of ours and not of `Product`: inside StoreKit's types, its nested names hide ours (`Product.PurchaseError`).
    extension PurchaseOffer {
        func options(of product: Product) throws(PurchaseError) -> [Product.PurchaseOption] {
            switch self {
            case .promotional(let id, let jws): return Product.PurchaseOption.promotionalOffer(id, compactJWS: jws)
            case .introductory(let jws): return [.introductoryOfferEligibility(compactJWS: jws)]
            case .winBack(let id), .named(let id):
                guard #available(iOS 18, macOS 15, *),
                    let offer = product.subscription?.winBackOffers.first(where: { $0.id == id })
                else { throw .unknownOffer }
                return [.winBackOffer(offer)]
            }
        }
    }

    extension IntendedPurchase {
        @available(iOS 16.4, macOS 14.4, *)
        init(_ intent: PurchaseIntent) {
            self.init(product: intent.product.id)
            if #available(iOS 18, macOS 15, *), let offer = intent.offer, offer.type == .winBack, let id = offer.id {
                self.offer = .winBack(id: id)
            }
        }
    }

    extension Purchases {
        /// Purchases of the App Store, which wait in the default folder.
        public convenience init(server: URL, orders: (any OrderSource)? = nil) {
            self.init(server: server, store: StoreKitStore(), orders: orders)
        }

        /// Purchases that were begun in the App Store. Hand each to `buy`, with its offer, when the user is not interrupted
        /// by it; it comes without an order, so an `OrderSource` is needed. For one reader.
        @available(iOS 16.4, macOS 14.4, *)
        public var intents: AsyncStream<IntendedPurchase> {
            AsyncStream { continuation in
                let listener = Task {
                    for await intent in PurchaseIntent.intents { continuation.yield(IntendedPurchase(intent)) }
                    continuation.finish()
                }
                continuation.onTermination = { _ in listener.cancel() }
            }
        }
    }
#endif
