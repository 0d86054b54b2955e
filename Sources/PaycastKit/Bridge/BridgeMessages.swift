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
