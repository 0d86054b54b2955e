extension PurchaseReply {
    init(_ outcome: PurchaseOutcome) {
        switch outcome {
        // Coins may leave the page as it is: nothing else would tell it that the purchase is over.
        case .granted(let grant): self.init(status: grant.isConsumable ? "delivered" : "granted")
        case .pending: self.init(status: "pending")
        case .cancelled: self.init(status: "cancelled")
        case .ownedByOther: self.init(status: "owned_by_other", error: "owned_by_other")
        case .kept(let reason): self.init(status: "kept", reason: reason.rawValue)
        case .recorded(let outcome): self.init(status: "recorded", reason: outcome)
        }
    }
}

extension PurchaseReply {
    /// Never `kept`: the page would lock its button until a purchase arrives.
    init(_ restoration: Restoration) {
        let outcomes = restoration.items.map(\.outcome)
        let words = Set(outcomes.map { PurchaseReply($0).status })
        let isUnreached = outcomes.contains(.kept(.offline)) || outcomes.contains(.kept(.busy))
        let status =
            switch words {
            case []: "nothing"
            case ["owned_by_other"]: "owned_by_other"
            case _ where !words.isDisjoint(with: ["granted", "delivered"]): "restored"
            case _ where isUnreached: "offline"
            default: words.contains("recorded") ? "recorded" : "failed"
            }
        self.init(status: status)
    }
}

extension StoreProduct {
    /// Nil if the store tells no more than the price's text.
    var terms: ProductTerms? {
        let offer = introductoryOffer.map {
            ProductTerms.Introductory(
                payment: $0.payment.rawValue,
                displayPrice: $0.displayPrice,
                price: $0.price,
                period: $0.period.duration,
                periodCount: $0.periodCount,
                isEligible: $0.isEligible
            )
        }
        let terms = ProductTerms(price: price, currency: currency, period: period?.duration, introductory: offer)
        return terms == ProductTerms(price: nil, currency: nil, period: nil, introductory: nil) ? nil : terms
    }
}

extension StoreProduct.Period {
    /// By ISO 8601, as Google Play writes it too.
    fileprivate var duration: String {
        switch unit {
        case .day: "P\(value)D"
        case .week: "P\(value)W"
        case .month: "P\(value)M"
        case .year: "P\(value)Y"
        }
    }
}
