public import Domain

/// What the app's backend is told, and how its answers are recorded.
extension LedgerRepository {
    /// A message that has arrived or failed is kept for as long as a job that was abandoned.
    private static let memoryOfHooks = Duration.seconds(30 * 86_400)
    /// More messages than one transaction has.
    private static let messagesOfAPosition: Int64 = 1 << 20

    /// One row for each user and address, at the transaction's end: a user who changed three times is told of once. What has
    /// become of a consumable has a row of its own.
    func writeHooks() throws(EngineError) {
        var newest: [HookKey: (position: Int64, count: Int64)] = [:]
        var order: [HookKey] = []
        for record in news.hooks {
            let key = HookKey(
                type: record.type,
                user: record.user,
                contract: record.purchase.flatMap { news.purchases[$0.contract] } ?? 0,
                statedAt: record.purchase?.statedAt ?? Instant(milliseconds: 0)
            )
            if newest[key] == nil { order.append(key) }
            newest[key] = (record.position, (newest[key]?.count ?? 0) + 1)
        }
        // A position is given once, and every change that a backend is told of has an entry.
        var id = known.head * LedgerRepository.messagesOfAPosition
        for key in order {
            guard let new = newest[key] else { continue }
            for target in policy.hooks where target.types.contains(key.type) {
                try statements.putHook.run([
                    Value(key.user), .text(target.address), Value(key.type), .integer(key.contract),
                    Value(key.statedAt), .integer(id), Value(HookState.waiting), .integer(new.position),
                    .integer(new.count), .integer(0), Value(hooksAt), .integer(0), Value(hooksAt),
                ])
                id += 1
            }
        }
    }

    /// Records what one address answered. A message that has become newer meanwhile stays waiting. Those that it has refused
    /// while it was down need not wait for their next attempt.
    public mutating func end(
        _ answered: [AnsweredHook],
        endsOutage: Bool,
        now: Instant
    ) throws(EngineError) {
        for (index, hook) in answered.enumerated() {
            try end(hook.delivery, result: hook.result, now: now)
            let isLastOfItsKind = index + 1 == answered.count || answered[index + 1].result != .accepted
            guard hook.result == .accepted, isLastOfItsKind else { continue }
            try statements.hookAccepted.run([.text(hook.delivery.address), Value(now)])
        }
        if endsOutage, let address = answered.first?.delivery.address {
            try statements.hastenHooks.run([Value(now), .text(address), Value(now)])
        }
        try forgetHooks(at: now)
    }

    /// A few at a time. A message about an erasure that was given up is the last row that names its user. PostgreSQL overwrites
    /// nothing, and need not be asked.
    private mutating func forgetHooks(at now: Instant) throws(EngineError) {
        let values = [Value(now - LedgerRepository.memoryOfHooks)]
        guard !isShared else { return try statements.forgetHooks.run(values) }
        let hasErasure = try statements.forgottenErasures.first(values) { row in row.optionalFlag() } ?? nil
        switch hasErasure {
        case true?: try erase(by: statements.forgetHooks, values, at: now)
        case false?: try statements.forgetHooks.run(values)
        case nil: break
        }
    }

    private mutating func end(_ delivery: HookDelivery, result: HookResult, now: Instant) throws(EngineError) {
        let row: [Value] = [.integer(delivery.id), .integer(delivery.version)]
        switch result {
        case .accepted where delivery.type == .userErased:
            // The last row that names an erased user.
            try erase(by: statements.deleteHook, row, at: now)
        case .accepted:
            let words = [Value(HookState.delivered), Value(now), .integer(delivery.id)]
            try statements.acceptHook.run([.integer(delivery.version)] + words)
        case .retry(let at, let reason):
            try statements.delayHook.run([Value(at), .text(reason)] + row)
            try refused(delivery.address, at: now, reason: reason)
        case .failed(let reason):
            try statements.endHook.run([Value(HookState.failed), .text(reason), Value(now)] + row)
            try refused(delivery.address, at: now, reason: reason)
        case .gone(let reason):
            try refused(delivery.address, at: now, goneAt: now, reason: reason)
        }
    }

    private func refused(
        _ address: String,
        at now: Instant,
        goneAt: Instant? = nil,
        reason: String
    ) throws(EngineError) {
        try statements.hookRefused.run([.text(address), Value(now), Value(goneAt), .text(reason)])
    }

    /// Deletes so that no byte is left, once the writer has overwritten what earlier states of the row may have left.
    private mutating func erase(by statement: Statement, _ values: [Value], at now: Instant) throws(EngineError) {
        try connection.overwriteDeleted(true)
        defer { try? connection.overwriteDeleted(false) }
        try statement.run(values)
        news.hasErasedMessage = true
        if !isShared { try statements.setMark.run([.text(LedgerRepository.scrub), Value(now)]) }
    }

    /// The mark of what is still to be overwritten, for the case that the process is killed before.
    private static let scrub = "scrub"

    /// Whether something is, perhaps since before this start.
    public func owesScrub() throws(EngineError) -> Bool {
        try statements.common.mark.first([.text(LedgerRepository.scrub)]) { row in row.integer() } != nil && !isShared
    }

    /// It was overwritten. Runs a transaction of its own.
    public mutating func settleScrub() throws(EngineError) {
        guard try owesScrub() else { return }
        try begin()
        try statements.deleteMark.run([.text(LedgerRepository.scrub)])
        try commit()
    }

    /// Sends a message once more, in the user's present state. Whoever asks for it is in the audit.
    public mutating func resendHook(_ id: Int64, now: Instant) throws(EngineError) {
        try statements.resendHook.run([Value(HookState.waiting), Value(now), .integer(id)])
        if let act { try note(act, at: now) }
    }

    /// Settings that were just read name these addresses: what said that it is gone is tried again. What has waited too long
    /// for an address that nobody names any more, or that has been gone as long, is erased: it names users.
    public mutating func nameHooks(_ addresses: [String], now: Instant) throws(EngineError) {
        let limit = now - LedgerRepository.memoryOfHooks
        var last = ""
        while let address = try statements.nextHookAddress.first([.text(last)], read: { row in row.optionalText() })
            ?? nil
        {
            let goneAt = try statements.hookGone.first([.text(address)]) { row in row.optionalInstant() } ?? nil
            if !addresses.contains(address) || goneAt.map({ $0 < limit }) == true {
                try erase(by: statements.dropHooks, [.text(address), Value(limit)], at: now)
            }
            last = address
        }
        for address in addresses { try statements.hookReturned.run([.text(address)]) }
    }
}

private struct HookKey: Hashable {
    var type: HookType
    var user: UserID
    /// Of a purchase: the contract's row, and the statement that changed it.
    var contract: Int64
    var statedAt: Instant
}
