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
    @MainActor
    public func purchase(
        confirmIn scene: some UIScene,
        options: Set<PurchaseOption> = []
    ) async throws -> PurchaseResult { fatalError("stub") }
}

/// https://developer.apple.com/documentation/storekit/message
public struct Message: Hashable, Sendable {
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
