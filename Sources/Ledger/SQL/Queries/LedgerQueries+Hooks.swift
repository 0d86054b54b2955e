public import Domain

extension LedgerQueries {
    /// At most `limit` messages to an address that are due, those that have waited longest first. No message passes an earlier
    /// one about the same user. Each says what is true in the snapshot in which its row is read.
    public func hooks(to address: String, limit: Int) throws(LedgerError) -> [DueHook] {
        let now = now
        return try snapshot { head throws(EngineError) in
            let values: [Value] = [.text(address), Value(now), .integer(Int64(limit))]
            var due = try statements.dueHooks.all(values) { row throws(EngineError) in
                var hook = DueHook(
                    delivery: try HookDelivery.read(row),
                    cause: try EntryRow.read(row, from: HookDelivery.columnCount + 1)
                )
                // Consumables are not among what a transaction knows, nor is all that is shared.
                guard !row.flag(HookDelivery.columnCount) else { return hook }
                let known = states?.take(hook.delivery.user, at: hook.delivery.position, now: now)
                hook.entitlements = known.map { UserEntitlements($0, since: head) }
                return hook
            }
            for index in due.indices
            where due[index].entitlements == nil && due[index].delivery.type == .entitlementsChanged {
                due[index].entitlements = try entitlements(of: due[index].delivery.user, now: now, at: head)
            }
            return due
        }
    }

    /// Nil for an id that no message has.
    public func hookDelivery(_ id: Int64) throws(LedgerError) -> HookDelivery? {
        try snapshot { _ throws(EngineError) in
            try statements.hookByID.first([.integer(id)], read: HookDelivery.read)
        }
    }

    /// At most `limit` messages, the newest rows first, with ids below `id`; nil means all states.
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

    /// How these addresses fare. Counts what waits for each of them up to `limit`.
    public func hookAddresses(
        _ addresses: [String],
        countingTo limit: Int = JobBacklog.countLimit
    ) throws(LedgerError) -> [HookAddressState] {
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
                let range: [Value] = [.text(address), .integer(Int64(limit))]
                state.waiting = try statements.hookCount.first(range) { row in Int(row.integer(0)) } ?? 0
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
    private static let list = columns.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
    fileprivate static let columnCount = Int32(list.count)
    /// For a join with a table that has some of the same names.
    static let columnsDue = list.map { "due." + $0 }.joined(separator: ", ")

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
