/// Purchases of several products: each is a contract of its own.
extension UnitOfWork {
    /// True when the purchase gives no access yet.
    func isNew(_ event: Event) throws -> Bool {
        guard let key = event.observation?.contract else { return false }
        return try contract(key)?.status.isActive != true
    }

    /// A store does not report that a product was taken out of a purchase; it just no longer lists it. So a further
    /// product has ended if the purchase's newest statement is newer than the product's own, in whatever order the two
    /// arrived.
    func missingLines(of key: ContractKey, event: Event) throws -> [Event] {
        guard let stated = try contract(key)?.contract.snapshot?.snapshot.signedAt, key.lineBounds != nil else {
            return []
        }
        // By lineage, so that the order does not depend on what the transaction had loaded before.
        let lines = try contracts(.lines(of: key)).sorted { $0.key.lineage < $1.key.lineage }
        return lines.compactMap { line in
            guard line.contract.kind == .subscription, let last = line.contract.snapshot?.snapshot,
                last.signedAt < stated, last.state != .expired, last.state != .revoked
            else { return nil }
            var end = event.ending(line.key, product: last.product, at: stated)
            // A product whose paid period ended before that has ended with its period.
            end.observation?.snapshot?.accessUntil = min(last.accessUntil ?? stated, stated)
            return end
        }
    }
}
