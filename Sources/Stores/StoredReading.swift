internal import Domain
internal import FoundationEssentials

/// What the ledger keeps of a purchase that was read at Google or Stripe. The answer cannot be requested again: the API
/// only reports the current state, and a notification says little more than that something has changed.
struct StoredReading {
    /// The limit of a webhook's body. Google's answers have about 2 KiB, Stripe's 8.
    private static let limit = 256 << 10

    /// Why it was read.
    enum Cause {
        case notification([UInt8])
        /// No notification: we asked ourselves, or an app posted the purchase.
        case subscription(token: String)
        /// An app posted the purchase.
        case product(token: String)
    }

    struct Said {
        var answer: [UInt8]
        /// When the reading began.
        var readAt: Instant
    }

    let cause: Cause
    let said: Said

    /// Returns nil for an answer that is too large to store.
    init?(_ cause: Cause, _ said: Said) {
        guard said.answer.count <= StoredReading.limit else { return nil }
        (self.cause, self.said) = (cause, said)
    }

    /// Returns nil for a body that is no record: nothing was read, or an older version stored it.
    init?(_ body: [UInt8]) {
        guard let file = try? JSONDecoder().decode(File.self, from: Data(body)) else { return nil }
        switch (file.notification, file.purchaseToken, file.productToken) {
        case (let notification?, nil, nil): cause = .notification(Array(notification.utf8))
        case (nil, let token?, nil): cause = .subscription(token: token)
        case (nil, nil, let token?): cause = .product(token: token)
        default: return nil
        }
        said = Said(answer: Array(file.reading.utf8), readAt: Instant(milliseconds: file.readAt))
    }

    /// Keeps both texts byte for byte. Nil when one of them is not UTF-8.
    var bytes: [UInt8]? {
        guard let reading = String(validating: said.answer, as: UTF8.self) else { return nil }
        var file = File(reading: reading, readAt: said.readAt.milliseconds)
        switch cause {
        case .notification(let body):
            guard let notification = String(validating: body, as: UTF8.self) else { return nil }
            file.notification = notification
        case .subscription(let token): file.purchaseToken = token
        case .product(let token): file.productToken = token
        }
        return (try? JSONEncoder().encode(file)).map { Array($0) }
    }

    private struct File: Codable {
        var notification: String?
        var purchaseToken: String?
        var productToken: String?
        var reading: String
        var readAt: Int64
    }
}
