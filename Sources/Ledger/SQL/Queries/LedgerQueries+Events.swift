public import Domain

extension LedgerQueries {
    public func contract(_ id: Int64, until position: Int64) throws(LedgerError) -> ContractRebuild? {
        try snapshot { _ throws(EngineError) in
            guard let row = try statements.contractByID.first([.integer(id)], read: ContractRow.read) else {
                return nil
            }
            let newest = try statements.newestEvent.first([.integer(id), .integer(position)]) { row in row.integer(0) }
            return ContractRebuild(row.tracked.contract, newest: newest ?? 0)
        }
    }

    /// The number of a contract's events before one that may be the newer one.
    private static let rivalLimit: Int64 = 100

    /// Nil for a name that nothing has. Of several stores' events with one id, the newest.
    public func event(_ name: EventName) throws(LedgerError) -> EventRecord? {
        try snapshot { _ throws(EngineError) in
            let position: Int64?
            switch name {
            case .id(let id):
                position = try statements.positionOfEvent.first([.text(id)]) { $0.optionalInteger(0) } ?? nil
            case .position(let known): position = known
            }
            guard let position, let event = try userEvent(at: position) else { return nil }
            let range: [Value] = [.integer(position - 1), .integer(position), .integer(1)]
            let stored = try statements.eventsAfter.all(range, read: StoredEvent.read).first
            var record = EventRecord(event: event, stored: stored)
            if let contract = stored?.contract, let date = event.dates?.occurredAt {
                let before: [Value] = [.integer(contract), .integer(position), .integer(LedgerQueries.rivalLimit)]
                let dated = try statements.datesOfContractBefore.all(before) { ($0.integer(0), $0.instant(1)) }
                let newest = dated.filter { $0.1 > date }.max { $0.1 < $1.1 }
                if let newest { record.newer = try userEvent(at: newest.0) }
            }
            return record
        }
    }

    public func events(_ selection: EventSelection, limit: Int) throws(LedgerError) -> [StoredEvent] {
        try snapshot { head throws(EngineError) in
            let after = max(selection.after, selection.since - 1)
            let until = min(selection.until, head.position)
            let range: [Value] = [.integer(after), .integer(until), .integer(Int64(limit))]
            if !selection.ids.isEmpty {
                var found: [StoredEvent] = []
                // Each store and environment may have an event with that id. There is no next page, so none is left
                // out.
                for id in selection.ids.prefix(limit) {
                    let values: [Value] = [.text(id), .integer(after), .integer(until)]
                    found += try statements.eventsByID.all(values, read: StoredEvent.read)
                }
                return found.sorted { $0.position < $1.position }
            }
            if let contract = selection.contract {
                return try statements.eventsByContract.all([.integer(contract)] + range, read: StoredEvent.read)
            }
            guard let user = selection.user else {
                return try statements.eventsAfter.all(range, read: StoredEvent.read)
            }
            let ids =
                try statements.contractsOfUser.all([Value(user)]) { row in row.integer(0) }
                + statements.contractsSharedWith.all([Value(user)]) { row in row.integer(0) }
            var found: [StoredEvent] = []
            for id in ids {
                found += try statements.eventsByContract.all([.integer(id)] + range, read: StoredEvent.read)
            }
            return Array(found.sorted { $0.position < $1.position }.prefix(limit))
        }
    }
}

extension StoredEvent {
    static let columns = "position, provider, environment, app, event, received_at, \(StoredBody.columns), contract"

    fileprivate static func read(_ row: Row) throws(EngineError) -> StoredEvent {
        var reader = RowReader(row)
        return StoredEvent(
            position: reader.integer(),
            provider: try reader.word(),
            environment: try reader.word(),
            app: reader.text(),
            id: reader.text(),
            receivedAt: reader.instant(),
            body: try reader.body() ?? [],
            contract: reader.optionalInteger()
        )
    }
}
