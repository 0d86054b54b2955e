internal import Domain

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
