// What StoreKit shows on a Mac. https://developer.apple.com/documentation/storekit/appstore

public import AppKit

extension AppStore {
    /// Replaced by one for a window in macOS 27.
    @available(macOS, introduced: 15.0, deprecated: 27.0)
    @MainActor
    public static func presentOfferCodeRedeemSheet(from controller: NSViewController) async throws {
        fatalError("stub")
    }
}

extension Transaction {
    @available(macOS 12.0, *)
    public static func beginRefundRequest(
        for transactionID: UInt64,
        in controller: NSViewController
    ) async throws -> RefundRequestStatus { fatalError("stub") }
}
