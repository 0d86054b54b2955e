// The part of StoreKit that `StoreKitStore.swift` uses, declared after Apple's documentation
// (https://developer.apple.com/documentation/storekit), so that Linux can check the shell's types. Nothing here runs.

public import Foundation

@frozen
public enum VerificationResult<SignedType> {
    case unverified(SignedType, VerificationError)
    case verified(SignedType)

    public enum VerificationError: Error, Sendable {
        case revokedCertificate, invalidCertificateChain, invalidDeviceVerification, invalidEncoding, invalidSignature
        case missingRequiredProperties
    }
}

extension VerificationResult: Sendable where SignedType: Sendable {}

extension VerificationResult {
    public var payloadValue: SignedType { get throws { fatalError("stub") } }
    public var unsafePayloadValue: SignedType { fatalError("stub") }
}

extension VerificationResult where SignedType == Transaction {
    public var jwsRepresentation: String { fatalError("stub") }
    public var headerData: Data { fatalError("stub") }
    public var payloadData: Data { fatalError("stub") }
    public var signatureData: Data { fatalError("stub") }
    public var signedData: Data { fatalError("stub") }
    public var signedDate: Date { fatalError("stub") }
    public var deviceVerification: Data { fatalError("stub") }
    public var deviceVerificationNonce: UUID { fatalError("stub") }
}

extension VerificationResult where SignedType == Product.SubscriptionInfo.RenewalInfo {
    public var jwsRepresentation: String { fatalError("stub") }
}

public enum AppStore {
    public struct Environment: RawRepresentable, Hashable, Sendable {
        public static let production = Environment(rawValue: "Production")
        public static let sandbox = Environment(rawValue: "Sandbox")
        public static let xcode = Environment(rawValue: "Xcode")
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public static var canMakePayments: Bool { fatalError("stub") }
    public static func sync() async throws { fatalError("stub") }
}

@available(iOS 16.0, macOS 13.0, *)
extension VerificationResult where SignedType == AppTransaction {
    public var jwsRepresentation: String { fatalError("stub") }
}

@available(iOS 16.0, macOS 13.0, *)
public struct AppTransaction: Hashable, Sendable {
    /// Back-deployed from iOS 18.4 and macOS 15.4; only SDKs since Xcode 16.3 have it.
    public var appTransactionID: String { fatalError("stub") }
    public static var shared: VerificationResult<AppTransaction> { get async throws { fatalError("stub") } }
    public static func refresh() async throws -> VerificationResult<AppTransaction> { fatalError("stub") }
}

public struct Transaction: Identifiable, Hashable, Sendable {
    public enum OwnershipType: Hashable, Sendable { case purchased, familyShared }
    public enum RefundRequestStatus: Hashable, Sendable { case success, userCancelled }
    public enum RefundRequestError: Error, Hashable, Sendable { case duplicateRequest, failed }
    public struct Offer: Hashable, Sendable {}
    public struct OfferType: Hashable, Sendable {}
    public struct Reason: Hashable, Sendable {}
    public struct RevocationReason: Hashable, Sendable {}

    public struct Transactions: AsyncSequence, Sendable {
        public typealias Element = VerificationResult<Transaction>
        public struct AsyncIterator: AsyncIteratorProtocol {
            public mutating func next() async -> VerificationResult<Transaction>? { fatalError("stub") }
        }
        public func makeAsyncIterator() -> AsyncIterator { fatalError("stub") }
    }

    public let id: UInt64
    public let originalID: UInt64
    public let productID: String
    public let signedDate: Date
    public let appAccountToken: UUID?
    public let revocationDate: Date?
    public let expirationDate: Date?
    public let isUpgraded: Bool
    public let ownershipType: OwnershipType
    public let productType: Product.ProductType

    /// The status of its subscription, with the renewal info of the family's members.
    public var subscriptionStatus: Product.SubscriptionInfo.Status? { get async { fatalError("stub") } }

    public static var updates: Transactions { fatalError("stub") }
    public static var unfinished: Transactions { fatalError("stub") }
    public static var currentEntitlements: Transactions { fatalError("stub") }
    public static func latest(for productID: String) async -> VerificationResult<Transaction>? { fatalError("stub") }
    public func finish() async { fatalError("stub") }
}

public struct Product: Identifiable, Hashable, Sendable {
    /// Like all nested types below that nothing of ours uses: inside an extension of `Product` it hides a type of ours with
    /// the same name.
    public enum PurchaseError: Error, Hashable, Sendable {
        case invalidQuantity, productUnavailable, purchaseNotAllowed, ineligibleForOffer, invalidOfferIdentifier
        case invalidOfferPrice, invalidOfferSignature, missingOfferParameters
    }
    public struct PromotionInfo: Hashable, Sendable {
        public enum Visibility: Hashable, Sendable { case appStoreConnectDefault, visible, hidden }
    }
    public struct PurchaseOption: Hashable, Sendable {
        public static func appAccountToken(_ token: UUID) -> PurchaseOption { fatalError("stub") }
        /// Back-deployed from iOS 18.4 and macOS 15.4; only SDKs since Xcode 16.3 have it.
        public static func introductoryOfferEligibility(compactJWS: String) -> PurchaseOption { fatalError("stub") }
        /// Back-deployed from iOS 26 and macOS 26; only SDKs of Xcode 26 have it.
        public static func promotionalOffer(_ offerID: String, compactJWS: String) -> [PurchaseOption] {
            fatalError("stub")
        }
        @available(iOS 18.0, macOS 15.0, *)
        public static func winBackOffer(_ offer: SubscriptionOffer) -> PurchaseOption { fatalError("stub") }
    }

    public struct ProductType: RawRepresentable, Hashable, Sendable {
        public static let consumable = ProductType(rawValue: "Consumable")
        public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
        public static let nonRenewable = ProductType(rawValue: "Non-Renewing Subscription")
        public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct SubscriptionOffer: Hashable, Sendable {
        public struct Signature: Hashable, Sendable {}
        public struct OfferType: RawRepresentable, Hashable, Sendable {
            @available(iOS 18.0, macOS 15.0, *)
            public static let winBack = OfferType(rawValue: "winBack")
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
        }

        @available(iOS 15.0, macOS 12.0, *)
        public struct PaymentMode: RawRepresentable, Hashable, Sendable {
            public static let freeTrial = PaymentMode(rawValue: "FreeTrial")
            public static let payAsYouGo = PaymentMode(rawValue: "PayAsYouGo")
            public static let payUpFront = PaymentMode(rawValue: "PayUpFront")
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
        }

        public let id: String?
        public let type: OfferType
        public let price: Decimal
        public let displayPrice: String
        public let period: SubscriptionPeriod
        public let periodCount: Int
        public let paymentMode: PaymentMode
    }

    @available(iOS 15.0, macOS 12.0, *)
    public struct SubscriptionPeriod: Hashable, Sendable {
        public enum Unit: Hashable, Sendable { case day, week, month, year }

        public let unit: Unit
        public let value: Int
    }

    public struct SubscriptionInfo: Hashable, Sendable {
        public struct RenewalInfo: Hashable, Sendable {
            public enum ExpirationReason: Hashable, Sendable {}
            public enum PriceIncreaseStatus: Hashable, Sendable {}
            public let originalTransactionID: UInt64
            public let signedDate: Date
        }
        public struct RenewalState: Hashable, Sendable {}
        public struct Status: Sendable {
            public let state: RenewalState
            public let transaction: VerificationResult<Transaction>
            public let renewalInfo: VerificationResult<RenewalInfo>

            public struct Statuses: AsyncSequence, Sendable {
                public typealias Element = Status
                public struct AsyncIterator: AsyncIteratorProtocol {
                    public mutating func next() async -> Status? { fatalError("stub") }
                }
                public func makeAsyncIterator() -> AsyncIterator { fatalError("stub") }
            }
            public static var updates: Statuses { fatalError("stub") }
        }
        public let subscriptionGroupID: String
        public let subscriptionPeriod: SubscriptionPeriod
        public let introductoryOffer: SubscriptionOffer?
        @available(iOS 15.0, macOS 12.0, *)
        public static func isEligibleForIntroOffer(for groupID: String) async -> Bool { fatalError("stub") }
        @available(iOS 18.0, macOS 15.0, *)
        public var winBackOffers: [SubscriptionOffer] { fatalError("stub") }
    }

    public enum PurchaseResult: Sendable {
        case success(VerificationResult<Transaction>)
        case userCancelled
        case pending
    }

    public let id: String
    public let displayName: String
    public let description: String
    public let type: ProductType
    public let displayPrice: String
    public let price: Decimal
    public let subscription: SubscriptionInfo?
    /// Back-deployed from iOS 16 and macOS 13.
    @available(iOS 15.0, macOS 12.0, *)
    public var priceFormatStyle: Decimal.FormatStyle.Currency { fatalError("stub") }

    public static func products(for identifiers: some Collection<String>) async throws -> [Product] {
        fatalError("stub")
    }

    @MainActor
    public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult { fatalError("stub") }
}

public enum StoreKitError: Error, Sendable {
    case unknown
    case userCancelled
    case networkError(URLError)
    case systemError(any Error)
    case notAvailableInStorefront
    case notEntitled
    case unsupported
}

@available(iOS 16.4, macOS 14.4, macCatalyst 16.4, *)
public struct PurchaseIntent: Equatable, Sendable {
    public struct PurchaseIntents: AsyncSequence, Sendable {
        public typealias Element = PurchaseIntent
        public struct AsyncIterator: AsyncIteratorProtocol {
            public mutating func next() async -> PurchaseIntent? { fatalError("stub") }
        }
        public func makeAsyncIterator() -> AsyncIterator { fatalError("stub") }
    }

    public let product: Product
    @available(iOS 18.0, macOS 15.0, *)
    public var offer: Product.SubscriptionOffer? { fatalError("stub") }
    @available(iOS 18.0, macOS 15.0, *)
    public var id: Product.ID { fatalError("stub") }
    public static var intents: PurchaseIntents { fatalError("stub") }
}
