extension Order {
    /// True when a genuine purchase cannot be the one that this order was made for.
    ///
    /// Only facts that both the order and the purchase state can contradict each other. A different product is no
    /// contradiction: within its group it is an upgrade, and an app may bind one token of its own to everything that a
    /// user buys.
    public func contradicts(_ contract: Contract) -> Bool {
        contradicts(provider: contract.key.provider, group: contract.group?.value, kind: contract.kind)
    }

    public func contradicts(provider observed: Provider, group observedGroup: String?, kind observedKind: ProductKind)
        -> Bool
    {
        if let provider, provider != observed { return true }
        if let group, let observedGroup, group != observedGroup { return true }
        // Not every store tells the one-time kinds apart (RevenueCat does not), so only this difference is certain.
        guard let kind else { return false }
        return (kind == .subscription) != (observedKind == .subscription)
    }
}
