internal import Domain
internal import StoreInterface

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
        let observation = payment.observation(
            envelope.key(id),
            token: object.token,
            state: isFull ? .revoked : .owned,
            at: envelope.created
        )
        return StripeMeaning(kind: .refundCompleted, subtype: subtype, observation: observation)
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
        let observation = payment.observation(
            envelope.key(id),
            token: charge?.token ?? object.token,
            state: state,
            at: envelope.created
        )
        return StripeMeaning(kind: kind, subtype: status, observation: observation)
    }
}
