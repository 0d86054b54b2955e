// What StoreKit shows in a window. https://developer.apple.com/documentation/storekit/appstore

public import UIKit

extension AppStore {
    @MainActor
    public static func showManageSubscriptions(in scene: UIWindowScene) async throws { fatalError("stub") }
    @MainActor
    public static func presentOfferCodeRedeemSheet(in scene: UIWindowScene) async throws { fatalError("stub") }
}

extension Transaction {
    @MainActor
    public static func beginRefundRequest(
        for transactionID: UInt64,
        in scene: UIWindowScene
    ) async throws -> RefundRequestStatus { fatalError("stub") }
}

extension Product {
    @available(iOS 17.0, macCatalyst 17.0, *)
    @MainActor
    public func purchase(
        confirmIn scene: some UIScene,
        options: Set<PurchaseOption> = []
    ) async throws -> PurchaseResult { fatalError("stub") }
}

/// https://developer.apple.com/documentation/storekit/message
@available(iOS 16.0, macCatalyst 16.0, *)
@available(macOS, unavailable)
public struct Message: Hashable, Sendable {
    public struct Reason: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
    }

    public struct Messages: AsyncSequence, Sendable {
        public typealias Element = Message
        public struct AsyncIterator: AsyncIteratorProtocol {
            public mutating func next() async -> Message? { fatalError("stub") }
        }
        public func makeAsyncIterator() -> AsyncIterator { fatalError("stub") }
    }

    public static var messages: Messages { fatalError("stub") }
    @MainActor
    public func display(in scene: UIWindowScene) throws { fatalError("stub") }
}
