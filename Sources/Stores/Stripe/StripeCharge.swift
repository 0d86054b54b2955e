internal import Domain

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
