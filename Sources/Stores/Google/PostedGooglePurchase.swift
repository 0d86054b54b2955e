import APIModel
import Domain
import Encoding

/// `POST /transactions/google`: a purchase that the Play Billing library gave an app,
/// `{"purchaseToken", "productId"?, "package"?}`. Google signs nothing that could be verified here, so it is read from
/// Google's API and then handled like a push. The backend may name the order of one of its charges instead, `orderId`, as
/// other services export it.
struct PostedGooglePurchase: Equatable {
    enum Name: Equatable {
        case token(String)
        case order(String)
    }

    var name: Name
    /// The product according to the app. It decides which kind of purchase to ask for first, and proves nothing.
    var product: String?
    /// Nil for the only package that is configured.
    var package: String?
}

extension PostedGooglePurchase: PostedPurchase {
    static let refusal: StaticString = "purchase refused"

    func asks(_ store: OpenGoogleStore) -> Bool { true }

    /// Order numbers stand on receipts.
    var isVouchedOnly: Bool { if case .order = name { true } else { false } }

    init(_ body: JSONNode, bytes: [UInt8]) throws(RefusedBody) {
        let order = try RefusedBody.string("orderId", of: body)
        switch (try RefusedBody.string("purchaseToken", of: body), order) {
        case (let token?, nil): name = .token(try PostedGooglePurchase.token(token))
        case (nil, let order?): name = .order(try PostedGooglePurchase.order(order))
        case (nil, nil), (.some, .some):
            throw RefusedBody(
                "missing_purchase_token",
                message: "Send {\"purchaseToken\":TOKEN}, or as the backend {\"orderId\":NUMBER}."
            )
        }
        product = try RefusedBody.name("productId", of: body)
        package = try RefusedBody.name("package", of: body)
    }

    private static func order(_ number: String) throws(RefusedBody) -> String {
        let bytes = number.utf8
        guard bytes.starts(with: "GPA.".utf8), (8...64).contains(bytes.count),
            bytes.allSatisfy({ $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") })
        else { throw RefusedBody.mistyped("orderId", expected: "an order's number such as GPA.3312-0000-1111-22222") }
        return number
    }

    private static func token(_ token: String) throws(RefusedBody) -> String {
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
        return token
    }

    func read(with store: OpenGoogleStore, now: Instant) throws(RefusedPurchase) -> PurchaseReading {
        do throws(VerificationError) {
            return PurchaseReading(source: .store, events: [try store.reader.read(self, now: now)])
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
