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

    /// What each user has begun, by owner: one status for each product, of several the one found last below.
    func openPurchases(at now: Date) -> [String: [OpenPurchase]] {
        var statuses: [String: [String: OpenPurchase.Status]] = [:]
        func note(_ status: OpenPurchase.Status, _ product: String, of stream: SignedStream?) {
            if let stream { statuses[stream.owner, default: [:]][product] = status }
        }
        for placed in book.pending(at: now) { note(.pending, placed.product, of: placed.order.stream) }
        // What is taken back or replaced is no purchase any more.
        for delivery in deliveries.values where !delivery.transaction.isRevoked && !delivery.transaction.isUpgraded {
            let status = OpenPurchase.Status(rawValue: PurchaseReply(standing(of: delivery)).status)
            note(status ?? .kept, delivery.transaction.product, of: delivery.memo.stream)
        }
        for (product, attempt) in attempts where !attempt.isStuck(at: now) {
            note(.buying, product, of: attempt.stream)
        }
        return statuses.mapValues { own in
            own.sorted { $0.key < $1.key }.map { OpenPurchase(product: $0.key, status: $0.value) }
        }
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

    /// What whoever waits for it is told when nothing comes of it now. Only `kept` is cured by a connection.
    func standing(of delivery: Delivery) -> PurchaseOutcome {
        if delivery.isRefused { return .refused }
        return stream(for: delivery) != nil || (renewal.isUnreached && !isLoggedOut) ? .kept(.offline) : .loggedOut
    }
}
