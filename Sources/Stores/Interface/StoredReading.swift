import Domain
import Encoding

/// The stored form of a purchase that was read at Google or Stripe. The answer cannot be requested again: the API
/// only reports the current state, and a notification says little more than that something has changed.
struct StoredReading: Sendable {
    /// The limit of a webhook's body. Google's answers have about 2 KiB, Stripe's 8.
    private static let limit = 256 << 10

    /// Why it was read.
    enum Cause: Sendable {
        case notification([UInt8])
        /// No notification: we asked ourselves, or an app posted the purchase.
        case purchase(token: String, isSubscription: Bool)
    }

    struct Answer: Sendable {
        var body: [UInt8]
        /// When the reading was begun.
        var readAt: Instant
    }

    let cause: Cause
    let answer: Answer

    /// Returns nil for an answer that is too large to store.
    init?(_ cause: Cause, answer: Answer) {
        guard answer.body.count <= StoredReading.limit else { return nil }
        self.cause = cause
        self.answer = answer
    }

    /// Returns nil for a body in another format: nothing was read, or an older version stored it.
    init?(_ body: [UInt8]) {
        guard let file = JSONNode(body), let reading = file["reading"]?.text, let readAt = file["readAt"]?.integer
        else { return nil }
        switch (file["notification"]?.text, file["purchaseToken"]?.text, file["productToken"]?.text) {
        case (let notification?, nil, nil): cause = .notification(Array(notification.utf8))
        case (nil, let token?, nil): cause = .purchase(token: token, isSubscription: true)
        case (nil, nil, let token?): cause = .purchase(token: token, isSubscription: false)
        default: return nil
        }
        answer = Answer(body: Array(reading.utf8), readAt: Instant(milliseconds: readAt))
    }

    /// Keeps both texts byte for byte. Nil when one of them is not UTF-8.
    var bytes: [UInt8]? {
        guard let reading = String(validating: answer.body, as: UTF8.self) else { return nil }
        let (name, text): (String, String?) =
            switch cause {
            case .notification(let body): ("notification", String(validating: body, as: UTF8.self))
            case .purchase(let token, let isSubscription): (isSubscription ? "purchaseToken" : "productToken", token)
            }
        guard let text else { return nil }
        let why = #""\#(name)":\#(JSONLiteral.literal(text))"#
        let what = #""reading":\#(JSONLiteral.literal(reading)),"readAt":\#(answer.readAt.milliseconds)"#
        return Array("{\(why),\(what)}".utf8)
    }
}
