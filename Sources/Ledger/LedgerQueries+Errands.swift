internal import Domain

extension LedgerQueries {
    /// Jumps from one destination to the next, however many errands each has.
    func errandDestinations(dueAt now: Instant) throws(LedgerError) -> [Errand.Destination] {
        try snapshot { _ throws(SQLiteError) in
            var (due, last) = ([Errand.Destination](), "")
            while let name = try statements.nextDestination.first([.text(last)], read: { row in row.text(0) }) {
                if try statements.isDue.first([.text(name), Value(now)], read: { _ in true }) != nil {
                    due.append(Errand.Destination(column: name))
                }
                last = name
            }
            return due
        }
    }

    func errands(
        dueAt now: Instant,
        to destination: Errand.Destination,
        limit: Int
    ) throws(LedgerError) -> [QueuedErrand] {
        try snapshot { _ throws(SQLiteError) in
            try statements.dueErrands.all(
                [.text(destination.column), Value(now), .integer(Int64(limit))],
                read: QueuedErrand.read
            )
        }
    }

    /// Counting goes over every waiting errand, and this is asked every second. So the count of `previous` is kept
    /// unless an errand was added or the time of the next one has changed.
    func errandBacklog(after previous: ErrandBacklog?) throws(LedgerError) -> ErrandBacklog {
        try snapshot { _ throws(SQLiteError) in
            var backlog = ErrandBacklog(
                next: try statements.nextErrand.first { row in row.optionalInstant(0) } ?? nil,
                nearestDeadline: try statements.nextDeadline.first { row in row.optionalInstant(0) } ?? nil,
                newest: try statements.newestErrand.first { row in row.integer(0) } ?? 0
            )
            if let previous, (previous.newest, previous.next) == (backlog.newest, backlog.next) {
                backlog.waiting = previous.waiting
            } else {
                backlog.waiting = try statements.errandCount.first { row in Int(row.integer(0)) } ?? 0
            }
            return backlog
        }
    }

    func mark(_ name: String) throws(LedgerError) -> Instant? {
        try snapshot { _ throws(SQLiteError) in
            try statements.mark.first([.text(name)]) { row in row.instant(0) }
        }
    }

    func expiring(of provider: Provider, at now: Instant, limit: Int) throws(LedgerError) -> [ContractKey] {
        guard policy.apis.contains(provider) else { return [] }
        return try snapshot { _ throws(SQLiteError) in
            let range: [Value] = [
                Value(now), Value(now + policy.leeway), Value(now), Value(provider), .integer(Int64(limit)),
            ]
            return try statements.outlasting.all(range) { row throws(SQLiteError) in
                ContractKey(
                    provider: try row.word(0),
                    environment: try row.word(1),
                    app: row.text(2),
                    lineage: row.text(3)
                )
            }
        }
    }
}

extension Errand.Destination {
    fileprivate init(column: String) {
        self = column.contains("://") ? .address(column) : .store(Provider(rawValue: column))
    }

    fileprivate var column: String {
        switch self {
        case .store(let provider): provider.rawValue
        case .address(let address): address
        }
    }
}

extension QueuedErrand {
    fileprivate static func read(_ row: Row) throws(SQLiteError) -> QueuedErrand {
        let errand = Errand(
            kind: try row.word(1),
            provider: try row.word(2),
            environment: try row.word(3),
            app: row.text(4),
            subject: row.text(5),
            detail: row.text(6).isEmpty ? nil : row.text(6),
            deadline: row.optionalInstant(7)
        )
        return QueuedErrand(
            id: row.integer(0),
            errand: errand,
            attempts: Int(row.integer(8)),
            queuedAt: row.instant(9),
            body: row.isNull(10) ? nil : row.bytes(10)
        )
    }
}
