import APIModel
import Domain
import Encoding

/// `POST /transactions/google`: a purchase that the Play Billing library gave an app,
/// `{"purchaseToken", "productId"?, "package"?}`. Google signs nothing that could be verified here, so it is read from
/// Google's API and then handled like a push.
struct PostedGooglePurchase: Equatable {
    var token: String
    /// The product according to the app. It decides which kind of purchase to ask for first, and proves nothing.
    var product: String?
    /// Nil for the only package that is configured.
    var package: String?
}

extension PostedGooglePurchase: PostedPurchase {
    static let refusal: StaticString = "purchase refused"

    static func asks(_ store: OpenGoogleStore) -> Bool { true }

    init(_ body: JSONNode, bytes: [UInt8]) throws(RefusedBody) {
        guard let token = try RefusedBody.string("purchaseToken", of: body) else {
            throw RefusedBody("missing_purchase_token", message: "Send {\"purchaseToken\":TOKEN}.")
        }
        // In contract names, a `#` precedes a further product of the same purchase.
        guard isValidIdentifier(token, limit: GooglePurchase.tokenLimit), !token.utf8.contains(UInt8(ascii: "#"))
        else {
            throw RefusedBody(
                "invalid_purchase_token",
                message:
                    "purchaseToken must have 1 to \(GooglePurchase.tokenLimit) bytes, no control characters and "
                    + "no #."
            )
        }
        self.token = token
        product = try RefusedBody.name("productId", of: body)
        package = try RefusedBody.name("package", of: body)
    }

    func read(with store: OpenGoogleStore, now: Instant) throws(RefusedPurchase) -> PurchaseReading {
        do throws(VerificationError) {
            return PurchaseReading(source: .store, events: [try store.reader.read(self)])
        } catch {
            throw .unproven(error)
        }
    }
}

extension GoogleReading {
    /// The event for a posted token. Its date may be older than the reading if nothing has changed since.
    func posted(_ subject: GoogleSubject) -> Event? {
        guard let purchase, var event = statement(of: subject, name: "purchase") else { return nil }
        event.type = "PURCHASE"
        event.kind = purchase.postedKind
        return event
    }
}

extension GooglePurchase {
    /// A purchase that is not acknowledged yet has just been made.
    fileprivate var postedKind: EventKind {
        if state == .pending { return .purchasePending }
        guard isUnacknowledged else { return .contractUpdated }
        return kind == .subscription ? startKind : .purchaseCompleted
    }
}
