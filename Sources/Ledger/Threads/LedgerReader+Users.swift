public import Domain
import Support

/// Questions about one user, one event, and one order.
extension LedgerReader {
    public func entitlements(
        of user: UserID,
        completion: @escaping @Sendable (Result<UserEntitlements, LedgerError>) -> Void
    ) -> Bool {
        ask(completion) { [clock] queries throws(LedgerError) in
            try queries.entitlements(of: user, now: clock.now())
        }
    }

    /// The answer is nil when no app has said which language the user reads.
    public func language(
        of user: UserID,
        completion: @escaping @Sendable (Result<LanguageTag?, LedgerError>) -> Void
    ) -> Bool {
        ask(completion) { queries throws(LedgerError) in
            try queries.language(of: user)
        }
    }

    /// Fills in the users' languages in fragments that are not in the ledger.
    public func written(
        _ fragments: [Fragment],
        completion: @escaping @Sendable (Result<[Fragment], LedgerError>) -> Void
    ) -> Bool {
        ask(completion) { queries throws(LedgerError) in
            try queries.written(fragments)
        }
    }

    /// `isWhole` asks for every order and consumable instead of the newest 100 of each.
    public func record(
        of user: UserID,
        isWhole: Bool = false,
        completion: @escaping @Sendable (Result<UserRecord, LedgerError>) -> Void
    ) -> Bool {
        ask(completion) { [clock] queries throws(LedgerError) in
            try queries.record(of: user, isWhole: isWhole, now: clock.now())
        }
    }

    /// At most `limit` events, newest first, all of them before `position`; without a position, from the newest on.
    /// `stream` is what the user's pages follow.
    public func userEvents(
        of user: UserID,
        shownOn stream: StreamName?,
        before position: Int64? = nil,
        limit: Int,
        withBodies: Bool = false,
        completion: @escaping @Sendable (Result<UserEvents, LedgerError>) -> Void
    ) -> Bool {
        ask(completion) { queries throws(LedgerError) in
            try queries.userEvents(
                of: user,
                shownOn: stream,
                before: position ?? .max,
                limit: limit,
                withBodies: withBodies
            )
        }
    }

    /// Nil for a name that nothing has.
    public func event(
        _ name: EventName,
        completion: @escaping @Sendable (Result<EventRecord?, LedgerError>) -> Void
    ) -> Bool {
        ask(completion) { queries throws(LedgerError) in
            try queries.event(name)
        }
    }

    /// The order is nil for a token that no order has; the cursor is the newest position.
    public func order(
        _ token: OrderToken,
        completion: @escaping @Sendable (Result<(order: OrderRecord?, head: Cursor), LedgerError>) -> Void
    ) -> Bool {
        ask(completion) { [clock] queries throws(LedgerError) in
            try queries.order(token, now: clock.now())
        }
    }
}
