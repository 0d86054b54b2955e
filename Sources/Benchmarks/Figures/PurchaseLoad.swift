import Domain
import Glibc

/// The first purchases of `count` users. Orders are created and everything is signed before the measurement starts.
struct PurchaseLoad {
    /// The requests, ready to send.
    let requests: [[UInt8]]

    /// Purchases as the store's webhooks.
    init(_ count: Int, of provider: Provider, at target: PaycastTarget, publishers: Publishers) throws {
        let (tokens, now) = try PurchaseLoad.orders(count, at: target, publishers: publishers)
        let purchases = try tokens.enumerated().map { channel, token in
            try target.purchase(token, of: provider, channel: channel, now: now)
        }
        for document in purchases.flatMap(\.documents) { try publishers.send(document) }
        try publishers.finish()
        requests = purchases.map(\.webhook)
    }

    /// Purchases as apps post them right after payment.
    init(postedByApps count: Int, at target: PaycastTarget, publishers: Publishers) throws {
        let (tokens, now) = try PurchaseLoad.orders(count, at: target, publishers: publishers)
        requests = try tokens.map { try target.transaction($0, now: now) }
    }

    /// Each order is the purchase of a user.
    static func orders(
        _ count: Int,
        at target: PaycastTarget,
        publishers: Publishers
    ) throws -> (tokens: [OrderToken], now: Instant) {
        let tokens = (0..<count).map { _ in OrderToken.random() }
        for (channel, token) in tokens.enumerated() { try publishers.send(target.order(token, channel: channel)) }
        try publishers.finish()
        return (tokens, Instant(milliseconds: Int64(time(nil)) * 1000))
    }
}
