import Crypto
import Domain
import Encoding

/// A purchase to read at Google's API.
struct GoogleSubject: Sendable, Equatable {
    let token: String
    let isSubscription: Bool

    /// What follows the package in its address.
    var path: String {
        "purchases/\(isSubscription ? "subscriptionsv2" : "productsv2")/tokens/\(PercentEncoding.encode(token))"
    }

    /// Nil for an answer that says nothing about a purchase.
    func purchase(_ answer: StoredReading.Answer, of package: String, catalog: Catalog) -> GooglePurchase? {
        let (body, readAt) = (answer.body, answer.readAt)
        return isSubscription
            ? GooglePurchase(subscription: body, token: token, package: package, catalog: catalog, readAt: readAt)
            : GooglePurchase(product: body, token: token, package: package, catalog: catalog, readAt: readAt)
    }
}

/// What the API said about a purchase; empty if there was nothing to read.
struct GoogleReading {
    /// Why an event has no purchase, as its `subtype`.
    enum Gap: String {
        /// Google does not know the purchase, or no longer does, and will keep saying so.
        case unknown = "unknown_purchase"
        /// An answer that says nothing about a purchase.
        case unreadable = "unreadable_purchase"
    }

    var purchase: GooglePurchase?
    var gap: Gap?
    var answer: StoredReading.Answer?

    /// The event for a reading without a notification: before a period's end is trusted, or of what an app posted. `name`
    /// begins its id. Nil without a purchase.
    func statement(of subject: GoogleSubject, name: String) -> Event? {
        guard let purchase, let answer else { return nil }
        let digest = Hex.encode(Array(SHA256.hash(Array(subject.token.utf8)).prefix(16)))
        let cause = StoredReading.Cause.purchase(token: subject.token, isSubscription: subject.isSubscription)
        let body = StoredReading(cause, answer: answer)?.bytes ?? answer.body
        return purchase.statement(body: body, id: "\(name):\(answer.readAt.milliseconds):\(digest)")
    }
}
