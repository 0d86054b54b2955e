import APIModel
import Crypto
import Domain
import Encoding

/// `POST /offers/apple`: a promotional offer, or whether a customer may have the introductory one, signed for StoreKit
/// (https://developer.apple.com/documentation/storekit/generating-jws-to-sign-app-store-requests).
/// `{"product", "offer"?, "allowIntroductoryOffer"?, "transactionId"?, "app"?}`.
struct RequestedAppleOffer: RequestedOffer, Equatable {
    enum Subject: Equatable {
        case promotional(offer: String)
        /// Apple needs to know of whom this is said.
        case introductory(isAllowed: Bool)
    }

    var product: String
    var subject: Subject
    /// Any transaction of the customer, or the `appTransactionID` of somebody who has bought nothing yet.
    var transaction: String?
    /// The bundle id; nil for the only one that is configured.
    var app: String?

    static let setting = "PAYCAST_APPLE_OFFERS"

    init(_ body: JSONNode) throws(RefusedBody) {
        guard let product = try RefusedBody.name("product", of: body) else {
            throw RefusedBody.mistyped("product", expected: "a string")
        }
        self.product = product
        transaction = try RefusedBody.name("transactionId", of: body)
        app = try RefusedBody.name("app", of: body)
        let flag = body["allowIntroductoryOffer"] ?? .null
        if let offer = try RefusedBody.name("offer", of: body) {
            guard flag == .null else {
                throw RefusedBody.mistyped("allowIntroductoryOffer", expected: "absent beside offer")
            }
            subject = .promotional(offer: offer)
            return
        }
        guard let isAllowed = flag.boolean else {
            throw RefusedBody.mistyped("allowIntroductoryOffer", expected: "true or false where there is no offer")
        }
        guard transaction != nil else {
            let message = "Send the customer's transactionId, or appTransactionID, beside allowIntroductoryOffer."
            throw RefusedBody("missing_transaction", message: message)
        }
        subject = .introductory(isAllowed: isAllowed)
    }

    func isOpen(at store: OpenAppleStore) -> Bool {
        guard case .promotional(let offer) = subject else { return false }
        return store.settings.openOffers.contains("\(product):\(offer)")
    }

    func sign(with store: OpenAppleStore, now: Instant) throws(RefusedOffer) -> String {
        guard let signer = store.signer else { throw .noKey(variable: "PAYCAST_APPLE_API_KEY") }
        let bundle = app ?? (store.apps.count == 1 ? store.apps[0] : nil)
        guard let bundle else {
            let message = "Several apps are configured: send one's bundle id as app."
            throw .incomplete(RefusedBody("missing_app", message: message))
        }
        guard store.apps.contains(bundle) else {
            let message = "app is not a bundle id of this server's: send one that PAYCAST_APPLE_BUNDLE_ID lists."
            throw .incomplete(RefusedBody("unknown_app", message: message))
        }
        guard let token = try? signer.token(claims(of: bundle, issuer: signer.issuer, now: now)) else {
            throw .unserved(.notConfigured)
        }
        return token
    }

    private func claims(of bundle: String, issuer: String, now: Instant) -> WireJSON {
        var claims: WireJSON = [
            "iss": .text(issuer), "iat": .number(now.seconds), "bid": .text(bundle), "productId": .text(product),
            // A random UUID, so that Apple takes the token once.
            "nonce": .text(OrderToken.random().description),
        ]
        claims["transactionId"] = transaction.map { .text($0) }
        switch subject {
        case .promotional(let offer):
            claims["aud"] = .text("promotional-offer")
            claims["offerIdentifier"] = .text(offer)
        case .introductory(let isAllowed):
            claims["aud"] = .text("introductory-offer-eligibility")
            claims["allowIntroductoryOffer"] = .flag(isAllowed)
        }
        return claims
    }
}
