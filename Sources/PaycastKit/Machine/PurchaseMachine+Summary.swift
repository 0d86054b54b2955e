internal import Foundation

/// A purchase that has begun and is not over.
public struct OpenPurchase: Encodable, Equatable, Sendable {
    /// In the words of `paycast-native.js`.
    public enum Status: String, Encodable, Sendable {
        /// The store's sheet is up, or will be at once.
        case buying
        /// Somebody has to approve it.
        case pending
        /// Paid, and not with the server yet.
        case kept
        /// Paid, and posted when its user logs in.
        case loggedOut = "logged_out"
        /// Paid, and the server calls it not genuine.
        case refused
    }
    public var product: String
    public var status: Status

    private enum CodingKeys: String, CodingKey {
        case product = "productId"
        case status
    }
}

extension PurchaseMachine {
    /// Who a page means that names nobody: the user whom the app has logged in, and never the page's before.
    var appSession: SignedStream? { isSessionOfPage ? nil : session }

    /// What a user has begun, one status for each product, and where several apply, the one found last below. It learns nothing
    /// of other users of the device, nor of what the store brings for whomever.
    func openPurchases(of owner: String?, at now: Date) -> [OpenPurchase] {
        guard let owner else { return [] }
        var statuses: [String: OpenPurchase.Status] = [:]
        for placed in book.pending(at: now) where placed.order.stream?.owner == owner {
            statuses[placed.product] = .pending
        }
        for delivery in deliveries.values where delivery.memo.stream?.owner == owner {
            let transaction = delivery.transaction
            // What is taken back or replaced is no purchase any more.
            if !transaction.isRevoked, !transaction.isUpgraded { statuses[transaction.product] = status(of: delivery) }
        }
        for (product, attempt) in attempts where attempt.owner == owner && !attempt.isStuck(at: now) {
            statuses[product] = .buying
        }
        return statuses.sorted { $0.key < $1.key }.map { OpenPurchase(product: $0.key, status: $0.value) }
    }

    /// What the store has proven to the device, and the server, which is away, has not got. An order of another user opens nothing,
    /// nor does one that this device does not know.
    func proven(to owner: String, at now: Date) -> [SignedTransaction] {
        let waiting = deliveries.values.filter { delivery in
            let placed = book.order(of: delivery.transaction)
            let orderer = placed?.order.stream ?? delivery.memo.stream
            return orderer?.owner == owner && (placed != nil || delivery.transaction.token == nil)
                && delivery.transaction.isOpen(at: now) && standing(of: delivery) == .kept(.offline)
                && (delivery.memo.backoff.hasFailed || gate.hasFailed)
        }
        return waiting.map(\.transaction).sorted { $0.id < $1.id }
    }

    /// What is not with the server yet, of this user and of no other.
    func keptCount(of owner: String?) -> Int {
        deliveries.values.count { owner != nil && $0.memo.stream?.owner == owner }
    }

    /// Whose purchases there are.
    var owners: Set<String> {
        Set(
            book.orders.compactMap(\.order.stream?.owner) + deliveries.values.compactMap(\.memo.stream?.owner)
                + attempts.values.compactMap(\.owner)
        )
    }

    private func status(of delivery: Delivery) -> OpenPurchase.Status {
        switch standing(of: delivery) {
        case .refused: .refused
        case .loggedOut: .loggedOut
        default: .kept
        }
    }

    /// What whoever waits for it is told when nothing comes of it now. Only `kept` is cured by a connection.
    func standing(of delivery: Delivery?) -> PurchaseOutcome {
        guard let delivery else { return .kept(.offline) }
        if delivery.memo.refusal != nil { return .refused }
        return stream(for: delivery) != nil || (renewal.isUnreached && !isLoggedOut) ? .kept(.offline) : .loggedOut
    }
}
