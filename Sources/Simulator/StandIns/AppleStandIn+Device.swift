import Domain
import Encoding
import Synchronization

/// The App Store as an app on a device sees it through StoreKit. The demo's phone calls this; no server does. An
/// account is any name.
///
/// | call | answer |
/// |---|---|
/// | `GET /device/products` | `{"products":[{"id","price","currency","days"}]}`, with prices in thousandths |
/// | `POST /device/purchases` `{"account","product","order"}` | `{"transaction":{"id","originalId","product","signedDate","jws"},"notification":{"id","signedPayload"}}`; what the account has already comes without a notification |
/// | `GET /device/entitlements?account=NAME` | `{"transactions":[…]}`: what gives access now, signed anew |
///
/// The caller posts the notification to the server's webhook when it likes.
extension AppleStandIn {
    func device(_ request: StandInRequest, question: String, now: Instant) -> StandInAnswer? {
        switch (request.method, question) {
        case ("GET", "products"):
            .json(["products": .list(SimulatedProduct.catalog.map(\.shown))])
        case ("POST", "purchases"): purchase(request, now: now)
        case ("GET", "entitlements"): entitlements(request, now: now)
        default: nil
        }
    }

    private func purchase(_ request: StandInRequest, now: Instant) -> StandInAnswer {
        let wish = JSONNode(request.body)
        guard let account = wish?["account"]?.text, isValidIdentifier(account, limit: 64),
            let order = wish?["order"]?.text.flatMap({ OrderToken($0) }), let id = wish?["product"]?.text
        else { return .refusal(400, code: 4_000_000, message: "Send account, product and order, a UUID.") }
        guard let product = SimulatedProduct.catalog.first(where: { $0.id == id }) else {
            return .refusal(404, code: 4_040_000, message: "No such product.")
        }
        // An account has one subscription of a group.
        let held = memory.withLock { $0.entitlements(of: UserID(account), at: now) }
            .first { $0[text: "subscriptionGroupIdentifier"] == product.group }
        if let held { return .json(["transaction": signed(held, now: now)]) }
        return sell(product, to: UserID(account), order: order, now: now)
    }

    private func sell(
        _ product: SimulatedProduct,
        to account: UserID,
        order: OrderToken,
        now: Instant
    ) -> StandInAnswer {
        let subscription = SimulatedSubscription(product: product.id, order: order)
        let isBack = memory.withLock { $0.knows(subscription.lineage) }
        let event = SimulatedEvent(
            type: "SUBSCRIBED",
            subtype: isBack ? "RESUBSCRIBE" : "INITIAL_BUY",
            facts: subscription,
            token: order,
            app: app,
            now: now
        )
        guard let body = try? SimulatedAppStore(signer: signer).body(event),
            let decoded = DecodedNotification(body), let statement = decoded.statement
        else { return .refusal(500, code: 5_000_000, message: "The purchase cannot be signed.") }
        memory.withLock { $0.buy(statement, for: account) }
        return .json([
            "transaction": signed(statement.transaction, now: now),
            "notification": ["id": .text(decoded.id), "signedPayload": .text(decoded.payload)],
        ])
    }

    private func entitlements(_ request: StandInRequest, now: Instant) -> StandInAnswer {
        guard let account = request.query("account"), isValidIdentifier(account, limit: 64) else {
            return .refusal(400, code: 4_000_000, message: "Say whose: ?account=NAME.")
        }
        let held = memory.withLock { $0.entitlements(of: UserID(account), at: now) }
        return .json(["transactions": .list(held.map { signed($0, now: now) })])
    }

    private func signed(_ document: WireJSON, now: Instant) -> WireJSON {
        [
            "id": .text(document[text: "transactionId"]), "originalId": .text(document.lineage),
            "product": .text(document[text: "productId"]), "signedDate": .number(now.milliseconds),
            "jws": .text(sign(document, at: now)),
        ]
    }
}

extension SimulatedProduct {
    /// As a device shows it.
    fileprivate var shown: WireJSON {
        [
            "id": .text(id), "price": .number(price), "currency": .text(currency),
            "days": .number(period.components.seconds / 86_400),
        ]
    }
}
