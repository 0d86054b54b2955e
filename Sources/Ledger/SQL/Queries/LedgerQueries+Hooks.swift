public import Domain

extension LedgerQueries {
    /// At most `limit` messages to an address that are due, those that have waited longest first. No message passes an earlier
    /// one about the same user. Each says what is true in the
    /// snapshot in which its row is read.
    public func hooks(dueAt now: Instant, to address: String, limit: Int) throws(LedgerError) -> [DueHook] {
        try snapshot { head throws(EngineError) in
            let ids = try statements.dueHooks.all([.text(address), Value(now), .integer(Int64(limit))]) { row in
                row.integer(0)
            }
            var due: [DueHook] = []
            for id in ids {
                if let hook = try hook(id, now: now, at: head) { due.append(hook) }
            }
            return due
        }
    }

    private func hook(_ id: Int64, now: Instant, at head: Cursor) throws(EngineError) -> DueHook? {
        guard let delivery = try statements.hookByID.first([.integer(id)], read: HookDelivery.read),
            let cause = try statements.entryAt.first([.integer(delivery.position)], read: EntryRow.read)
        else { return nil }
        let isErasure = delivery.type == .userErased
        let entitlements = isErasure ? nil : try entitlements(of: delivery.user, now: now, at: head)
        return DueHook(delivery: delivery, cause: cause, entitlements: entitlements)
    }

    /// Nil for an id that no message has.
    public func hookDelivery(_ id: Int64) throws(LedgerError) -> HookDelivery? {
        try snapshot { _ throws(EngineError) in
            try statements.hookByID.first([.integer(id)], read: HookDelivery.read)
        }
    }

    /// At most `limit` messages, the newest rows first, with ids below `id`.
    public func hookDeliveries(in state: HookState?, before id: Int64, limit: Int) throws(LedgerError) -> [HookDelivery]
    {
        try snapshot { _ throws(EngineError) in
            let range: [Value] = [.integer(id), .integer(Int64(limit))]
            guard let state else { return try statements.hooks.all(range, read: HookDelivery.read) }
            return try statements.hooksByState.all([Value(state)] + range, read: HookDelivery.read)
        }
    }

    /// All messages about a user: one for each address and type.
    public func hookDeliveries(of user: UserID) throws(LedgerError) -> [HookDelivery] {
        try snapshot { _ throws(EngineError) in
            try statements.hooksByUser.all([Value(user)], read: HookDelivery.read)
        }
    }

    public func hookAddresses(_ addresses: [String]) throws(LedgerError) -> [HookAddressState] {
        try snapshot { _ throws(EngineError) in
            var states: [HookAddressState] = []
            for address in addresses {
                var state = HookAddressState(address: address)
                let read = { (row: Row) throws(EngineError) in
                    state.acceptedAt = row.optionalInstant(0)
                    state.failures = Int(row.integer(1))
                    state.failingSince = row.optionalInstant(2)
                    state.goneAt = row.optionalInstant(3)
                    state.reason = row.optionalText(4)
                }
                _ = try statements.hookAddress.first([.text(address)], read: read)
                state.waiting = try statements.hookCount.first([.text(address)]) { row in Int(row.integer(0)) } ?? 0
                state.oldest =
                    try statements.oldestHook.first([.text(address)]) { row in row.optionalInstant(0) } ?? nil
                states.append(state)
            }
            return states
        }
    }
}

extension HookDelivery {
    static let columns = """
        id, address, user, type, state, position, version, accepted, queued_at, attempts, due_at, reason, ended_at
        """

    fileprivate static func read(_ row: Row) throws(EngineError) -> HookDelivery {
        var reader = RowReader(row)
        return HookDelivery(
            id: reader.integer(),
            address: reader.text(),
            user: reader.user(),
            type: try reader.word(),
            state: try reader.word(),
            position: reader.integer(),
            version: reader.integer(),
            accepted: reader.integer(),
            queuedAt: reader.instant(),
            attempts: Int(reader.integer()),
            dueAt: reader.optionalInstant(),
            reason: reader.optionalText(),
            endedAt: reader.optionalInstant()
        )
    }
}
