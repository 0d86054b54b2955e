public import Domain
import Support

/// Questions about what the app's backend is told.
extension LedgerReader {
    /// At most `limit` messages to an address that are due, those that have waited longest first.
    public func hooks(
        to address: String,
        limit: Int,
        completion: @escaping @Sendable (Result<[DueHook], LedgerError>) -> Void
    ) -> Bool {
        ask(completion) { [clock, states] queries throws(LedgerError) in
            try queries.hooks(dueAt: clock.now(), to: address, limit: limit, knowing: states)
        }
    }

    /// How these addresses fare.
    public func hookAddresses(
        _ addresses: [String],
        completion: @escaping @Sendable (Result<[HookAddressState], LedgerError>) -> Void
    ) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.hookAddresses(addresses) }
    }

    /// Nil for an id that no message has.
    public func hookDelivery(
        _ id: Int64,
        completion: @escaping @Sendable (Result<HookDelivery?, LedgerError>) -> Void
    ) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.hookDelivery(id) }
    }

    /// At most `limit` messages, the newest rows first, with ids below `id`; nil means all states.
    public func hookDeliveries(
        in state: HookState?,
        before id: Int64,
        limit: Int,
        completion: @escaping @Sendable (Result<[HookDelivery], LedgerError>) -> Void
    ) -> Bool {
        ask(completion) { queries throws(LedgerError) in
            try queries.hookDeliveries(in: state, before: id, limit: limit)
        }
    }

    /// All messages about a user: one for each address and type.
    public func hookDeliveries(
        of user: UserID,
        completion: @escaping @Sendable (Result<[HookDelivery], LedgerError>) -> Void
    ) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.hookDeliveries(of: user) }
    }
}
