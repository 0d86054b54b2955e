internal import Domain

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
