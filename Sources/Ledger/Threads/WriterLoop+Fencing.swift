internal import LedgerInterface
internal import LedgerSQL
internal import Observability

/// A node that was frozen, or cut off, may wake up with work to commit that another one does by now.
extension WriterLoop {
    /// Asks once for each batch.
    func holds(_ lease: Lease, in batch: inout Batch) throws(EngineError) -> Bool {
        if let known = batch.leases[lease] { return known }
        let isHeld = try repository.holds(lease)
        batch.leases[lease] = isHeld
        if !isHeld {
            log.warning(
                "work of a former lease refused",
                fields: ["lease": lease.number, "todo": "nothing: another node does it"]
            )
        }
        return isHeld
    }
}
