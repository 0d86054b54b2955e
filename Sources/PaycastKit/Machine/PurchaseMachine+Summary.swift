internal import Foundation

/// A purchase that has begun and is not over.
struct OpenPurchase: Encodable, Equatable, Sendable {
    /// In the words of `paycast-native.js`.
    enum Status: String, Encodable, Sendable {
        /// The store's sheet is up, or will be at once.
        case buying
        /// Somebody has to approve it.
        case pending
        /// Paid, and not with the server yet.
        case kept
    }
    var product: String
    var status: Status

    private enum CodingKeys: String, CodingKey {
        case product = "productId"
        case status
    }
}

extension PurchaseMachine {
    /// What a page has to know that appears in the middle of a purchase: one status for each product, and where several
    /// apply, the one found last below. It learns nothing of other users of the device. The page names its user itself,
    /// because the log-in that it brings may still wait for its turn.
    func openPurchases(for viewer: SignedStream?, at now: Date) -> [OpenPurchase] {
        let viewer = viewer ?? session
        func isVisible(_ owner: String?) -> Bool {
            guard let owner else { return true }
            return viewer.map { $0.owner == owner } ?? !isLoggedOut
        }
        var statuses: [String: OpenPurchase.Status] = [:]
        for order in book.pending(at: now) where isVisible(order.order.stream?.owner) {
            statuses[order.product] = .pending
        }
        for delivery in deliveries.values where isVisible(delivery.memo.owner) {
            let transaction = delivery.transaction
            // What is taken back or replaced is no purchase any more.
            if !transaction.isRevoked, !transaction.isUpgraded { statuses[transaction.product] = .kept }
        }
        for (product, attempt) in attempts where isVisible(attempt.order?.stream?.owner) && !attempt.isStuck(at: now) {
            statuses[product] = .buying
        }
        return statuses.sorted { $0.key < $1.key }.map { OpenPurchase(product: $0.key, status: $0.value) }
    }
}
