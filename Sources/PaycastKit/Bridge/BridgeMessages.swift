internal import PaycastKitWire

extension PurchaseMessage {
    var order: Order? { token.map { Order(token: $0, stream: stream.map { SignedStream($0) }) } }
}

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

extension RestoreReply {
    init(_ restoration: Restoration) {
        let outcomes = restoration.items.map(\.outcome)
        self.init(
            subscriptionIds: restoration.items.map { String($0.originalID) },
            items: restoration.items.map { Item(product: $0.product, status: PurchaseReply($0.outcome).status) },
            isUnreached: outcomes.contains(.kept(.offline)) || outcomes.contains(.kept(.busy))
        )
    }
}
