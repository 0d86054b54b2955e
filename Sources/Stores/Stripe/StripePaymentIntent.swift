internal import Domain

/// A payment intent, for apps that sell without Checkout. It counts only if its metadata name the order and the
/// product. A subscription's does not, and a Checkout session says more.
struct StripePaymentIntent {
    let object: StoreObject
    let catalog: Catalog

    func meaning(of envelope: StripeEnvelope) -> StripeMeaning {
        StripeMeaning(
            kind: kind(envelope.type),
            subtype: object.text("status"),
            observation: observation(envelope)
        )
    }

    private func kind(_ type: String) -> EventKind {
        switch type {
        case "payment_intent.succeeded": .purchaseCompleted
        case "payment_intent.processing": .purchasePending
        case "payment_intent.canceled": .purchasePendingCancelled
        default: .providerUnknown
        }
    }

    private func observation(_ envelope: StripeEnvelope) -> Observation? {
        guard let id = object.text("id"), let token = object.token, let product = object.namedProduct else {
            return nil
        }
        var observation = StripePayment(id: id, product: product, catalog: catalog).observation(
            envelope.key(id),
            token: token
        )
        observation.account = object.id("customer")
        switch object.text("status") {
        case "succeeded":
            let currency = object.text("currency")
            observation.transaction = Transaction(
                id: id,
                product: product,
                purchasedAt: object.seconds("created") ?? envelope.created,
                price: StripePrice.thousandths(object.amount("amount_received"), in: currency),
                currency: currency?.uppercased(),
                signedAt: envelope.created
            )
        case "processing": observation.snapshot = .of(.pending, product: product, at: StripeSubscription.beforeAll)
        case "canceled": observation.snapshot = .of(.expired, product: product, at: envelope.created)
        default: return nil
        }
        return observation
    }
}
