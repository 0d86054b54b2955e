import Domain

/// A one-time purchase, as its refunds and disputes identify it.
struct StripePayment {
    var id: String
    /// Nil when they do not name it: then the purchase itself does.
    var product: String?
    let catalog: Catalog

    /// Leaves the customer out: charges of subscriptions look the same, and must not become that customer's purchases.
    func observation(_ envelope: StripeEnvelope, token: OrderToken?, state: ContractState? = nil) -> Observation {
        var observation = Observation(contract: envelope.key(id), kind: catalog.kind(bought: product), token: token)
        if let state { observation.snapshot = .of(state, product: product ?? "", at: envelope.created) }
        return observation
    }
}

extension Snapshot {
    /// The state of a one-time purchase. If it is revoked, access ended at `date`.
    static func of(_ state: ContractState, product: String, at date: Instant) -> Snapshot {
        let end = state == .revoked ? date : nil
        return Snapshot(state: state, product: product, autoRenew: false, accessUntil: end, signedAt: date)
    }
}

extension Catalog {
    /// The kind of a product that is bought once: Stripe does not know kinds. By default, it stays forever.
    func kind(bought product: String?) -> ProductKind {
        guard let kind = product.flatMap({ self[$0]?.kind }), kind != .subscription else { return .nonConsumable }
        return kind
    }
}

/// A charge, which refunds and disputes are about. Its payment intent identifies the purchase.
struct StripeCharge {
    let object: StoreObject
    let catalog: Catalog

    /// A partial refund leaves the purchase as it is.
    func meaning(of envelope: StripeEnvelope) -> StripeMeaning {
        guard envelope.type == "charge.refunded" else { return StripeMeaning(kind: .providerUnknown) }
        let isFull = object.flag("refunded") == true
        let subtype = isFull ? "full" : "partial"
        guard let id = object.id("payment_intent") ?? object.text("id") else {
            return StripeMeaning(kind: .refundCompleted, subtype: subtype)
        }
        let payment = StripePayment(id: id, product: object.namedProduct, catalog: catalog)
        let observation = payment.observation(envelope, token: object.token, state: isFull ? .revoked : .owned)
        return StripeMeaning(kind: .refundCompleted, subtype: subtype, observation: observation)
    }
}

/// A customer's bank reclaims the money.
struct StripeDispute {
    let object: StoreObject
    let catalog: Catalog

    func meaning(of envelope: StripeEnvelope) -> StripeMeaning {
        let status = object.text("status")
        let (kind, state): (EventKind, ContractState?) =
            switch (envelope.type, status) {
            case ("charge.dispute.closed", "lost"): (.refundCompleted, .revoked)
            case ("charge.dispute.closed", _): (.refundDeclined, nil)
            case ("charge.dispute.funds_reinstated", _): (.refundReversed, .owned)
            case ("charge.dispute.created", _), ("charge.dispute.updated", _), ("charge.dispute.funds_withdrawn", _):
                (.refundRequested, nil)
            default: (.providerUnknown, nil)
            }
        let charge = object.object("charge")
        guard let id = object.id("payment_intent") ?? object.id("charge"), let state else {
            return StripeMeaning(kind: kind, subtype: status)
        }
        let payment = StripePayment(id: id, product: charge?.namedProduct ?? object.namedProduct, catalog: catalog)
        let observation = payment.observation(envelope, token: charge?.token ?? object.token, state: state)
        return StripeMeaning(kind: kind, subtype: status, observation: observation)
    }
}

/// One refund. It does not say whether it covers the whole charge; `charge.refunded`, which accompanies it, does.
struct StripeRefund {
    let object: StoreObject

    func meaning(of envelope: StripeEnvelope) -> StripeMeaning {
        let hasFailed = ["failed", "canceled"].contains(object.text("status"))
        let kind: EventKind =
            switch envelope.type {
            // The money is still owed, in another way, so access does not return by itself.
            case "refund.failed",
                "refund.updated" where hasFailed, "charge.refund.updated" where hasFailed:
                .refundDeclined
            case "refund.created", "refund.updated", "charge.refund.updated": .refundRequested
            default: .providerUnknown
            }
        return StripeMeaning(kind: kind, subtype: object.text("status"))
    }
}

/// A payment intent, for apps that sell without Checkout. It counts only if its metadata name the order and the
/// product. A subscription's does not, and a Checkout session says more.
struct StripePaymentIntent {
    let object: StoreObject
    let catalog: Catalog

    func meaning(of envelope: StripeEnvelope) -> StripeMeaning {
        StripeMeaning(kind: kind(envelope.type), subtype: object.text("status"), observation: observation(envelope))
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
        let payment = StripePayment(id: id, product: product, catalog: catalog)
        var observation = payment.observation(envelope, token: token)
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
