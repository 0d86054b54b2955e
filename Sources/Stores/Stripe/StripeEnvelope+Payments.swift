import Domain

/// One-time purchases, by the objects that are about their payments. A payment intent, or without one the charge,
/// identifies a purchase.
extension StripeEnvelope {
    /// A partial refund leaves the purchase as it is.
    var ofCharge: Event {
        guard type == "charge.refunded" else { return event(.providerUnknown) }
        let isFull = object.flag("refunded") == true
        let observation = (object.id("payment_intent") ?? object.text("id")).map { id in
            var observation = payment(
                id,
                product: object.namedProduct,
                token: object.token,
                state: isFull ? .revoked : .owned
            )
            let amount = StripePrice.thousandths(object.amount("amount_refunded"), in: object.text("currency"))
            let refund = Charge.Refund(at: created, amount: amount, isPartial: !isFull, statedAt: created)
            observation.charges = charges(id, invoice: object.id("invoice"), refund: refund)
            return observation
        }
        return event(.refundCompleted, subtype: isFull ? "full" : "partial", observation: observation)
    }

    /// A customer's bank reclaims the money.
    var ofDispute: Event {
        let status = object.text("status")
        let (kind, state): (EventKind, ContractState?) =
            switch (type, status) {
            case ("charge.dispute.closed", "lost"): (.refundCompleted, .revoked)
            case ("charge.dispute.closed", _): (.refundDeclined, nil)
            case ("charge.dispute.funds_reinstated", _): (.refundReversed, .owned)
            case ("charge.dispute.created", _), ("charge.dispute.updated", _), ("charge.dispute.funds_withdrawn", _):
                (.refundRequested, nil)
            default: (.providerUnknown, nil)
            }
        guard let state, let id = object.id("payment_intent") ?? object.id("charge") else {
            return event(kind, subtype: status)
        }
        let charge = object.object("charge")
        let product = charge?.namedProduct ?? object.namedProduct
        var observation = payment(id, product: product, token: charge?.token ?? object.token, state: state)
        let amount = StripePrice.thousandths(object.amount("amount"), in: object.text("currency"))
        let refund = Charge.Refund(at: state == .revoked ? created : nil, amount: amount, statedAt: created)
        observation.charges = charges(id, invoice: charge?.id("invoice"), refund: refund)
        return event(kind, subtype: status, observation: observation)
    }

    /// One refund. It does not say whether it covers the whole charge; `charge.refunded`, which accompanies it, does.
    var ofRefund: Event {
        let hasFailed = ["failed", "canceled"].contains(object.text("status"))
        let kind: EventKind =
            switch type {
            // The money is still owed, in another way, so access does not return by itself.
            case "refund.failed",
                "refund.updated" where hasFailed, "charge.refund.updated" where hasFailed:
                .refundDeclined
            case "refund.created", "refund.updated", "charge.refund.updated": .refundRequested
            default: .providerUnknown
            }
        return event(kind, subtype: object.text("status"))
    }

    /// A payment intent, for apps that sell without Checkout. It counts only if its metadata name the order and the
    /// product. A subscription's does not, and a Checkout session says more.
    var ofPaymentIntent: Event {
        let kind: EventKind =
            switch type {
            case "payment_intent.succeeded": .purchaseCompleted
            case "payment_intent.processing": .purchasePending
            case "payment_intent.canceled": .purchasePendingCancelled
            default: .providerUnknown
            }
        return event(kind, subtype: object.text("status"), observation: intendedPayment)
    }

    private var intendedPayment: Observation? {
        guard let id = object.text("id"), let token = object.token, let product = object.namedProduct else {
            return nil
        }
        var observation = payment(id, product: product, token: token)
        observation.account = object.id("customer")
        switch object.text("status") {
        case "succeeded":
            let purchasedAt = object.seconds("created") ?? created
            observation.transaction =
                object.transaction(id, of: product, "amount_received", purchasedAt: purchasedAt, signedAt: created)
            observation.charges =
                observation.transaction.map { [Charge(id: id, terms: ChargeTerms($0, order: token))] } ?? []
        case "processing": observation.snapshot = .of(.pending, product: product, at: StripeSubscription.beforeAll)
        case "canceled": observation.snapshot = .of(.expired, product: product, at: created)
        default: return nil
        }
        return observation
    }

    /// A refund, under both ids that its charge may have a row by: a subscription's has its invoice's, and a one-time purchase has
    /// its payment's, although Checkout may make an invoice of it, too. Under the other one, it is a refund of nothing.
    private func charges(_ id: String, invoice: String?, refund: Charge.Refund) -> [Charge] {
        [invoice, id].compactMap(\.self).map { Charge(id: $0, refund: refund) }
    }

    /// Leaves the customer out: charges of subscriptions look the same, and must not become that customer's purchases.
    /// Without a `product`, the purchase itself names it.
    private func payment(
        _ id: String,
        product: String?,
        token: OrderToken?,
        state: ContractState? = nil
    ) -> Observation {
        var observation = Observation(contract: key(id), kind: catalog.kind(bought: product))
        observation.token = token
        observation.snapshot = state.map { .of($0, product: product ?? "", at: created) }
        return observation
    }
}

extension StoreObject {
    /// The charge for what the object is about; its member `amount` holds the sum in the currency's smallest unit.
    func transaction(
        _ id: String,
        of product: String,
        _ amount: String,
        purchasedAt: Instant,
        expiresAt: Instant? = nil,
        signedAt: Instant
    ) -> Transaction {
        let currency = text("currency")
        var charge = Transaction(id: id, product: product, purchasedAt: purchasedAt, signedAt: signedAt)
        charge.expiresAt = expiresAt
        charge.price = StripePrice.thousandths(self.amount(amount), in: currency)
        charge.currency = currency?.uppercased()
        return charge
    }
}
