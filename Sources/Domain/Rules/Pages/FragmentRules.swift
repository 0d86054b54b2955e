/// The fragments that announce a change to pages.
extension UnitOfWork {
    /// Tells the pages of everyone who holds a changed contract, or has lost one: one message for each user, with the last
    /// entry that concerns the user. It completes the notices with whether their users have access afterwards.
    mutating func announce() throws {
        var concerned: [UserID: [Int]] = [:]
        var users: [UserID] = []
        for (index, item) in unannounced.enumerated() {
            for user in item.change.users {
                if concerned[user] == nil { users.append(user) }
                concerned[user, default: []].append(index)
            }
        }
        for user in users { try announce((concerned[user] ?? []).map { unannounced[$0] }, to: user) }
        try announcePurchases()
        try announceCharges()
        unannounced = []
    }

    /// `change` is announced with the newest entry.
    mutating func announceLater(_ change: ContractChange) {
        unannounced.append((change, changes.entries.count - 1))
    }

    /// Appends a separate entry for a change that no event carries.
    mutating func append(_ change: ContractChange, as kind: EventKind) throws {
        var change = change
        change.kind = kind
        _ = try append(Notice(kind: kind, change: change))
        announceLater(change)
        changes.unclaimed += change.unclaimed
    }

    mutating func add(_ fragments: [Fragment], to entry: Int) throws {
        let written = try streams.written(fragments, naming: policy.catalog) { try ledger.locale(of: $0) }
        changes.entries[entry].entry.fragments += written
        changes.entries[entry].stored += fragments
    }

    /// `news` are the changes that concern the user, in their order.
    private mutating func announce(_ news: [(change: ContractChange, entry: Int)], to user: UserID) throws {
        var first: [ContractKey: ContractChange] = [:]
        var last: [ContractKey: ContractChange] = [:]
        for (change, _) in news {
            first[change.key] = first[change.key] ?? change
            last[change.key] = change
        }
        guard let entry = news.last?.entry else { return }
        let others = try ledger.contracts(.held(by: user)).filter { last[$0.key] == nil }
        let had = first.values.compactMap(\.previous).filter { $0.holders.contains(user) }
        let has = last.values.map(\.current).filter { $0.holders.contains(user) }
        let (held, holds) = (others + had, others + has)
        let before = entitlements(of: user, held)
        let after = entitlements(of: user, holds)
        for item in news where item.change.current.user == user {
            changes.entries[item.entry].entry.notice.entitlements = after.summaries
        }
        let beside = Set(last.values.filter(\.isBeside).map(\.key))
        let change = PageChange(before: before, after: after, contracts: Set(last.keys), beside: beside)
        let announcements = change.announcements.map { user == importer ? $0.withoutThanks : $0 }
        try add(try fragments(announcements, for: user, because: last), to: entry)
        guard isAnswerChanged(from: before, of: held, to: after, of: holds) else { return }
        // The answer about the user may say more. It also lists consumables, which were not read.
        let isWhole =
            after.ranked.count == holds.count && !has.contains { $0.contract.kind == .consumable }
            && holds.allSatisfy(isCurrent)
        queueHook(.entitlementsChanged, about: user, state: isWhole ? after : nil, entry: entry)
    }

    /// Whether a contract has the status that an answer of now would give it: its own may be of another policy's time.
    private func isCurrent(_ held: TrackedContract) -> Bool {
        held.contract.status(at: now, policy: policy).map { $0 == held.status } ?? true
    }

    func entitlements(of user: UserID, _ held: [TrackedContract]) -> EntitlementSet {
        EntitlementSet(user: user, held: held.map { $0.heldContract(policy.catalog) }, policy: policy)
    }

    func fragments(
        _ announcements: [Announcement],
        for user: UserID,
        because changes: [ContractKey: ContractChange] = [:]
    ) throws -> [Fragment] {
        guard let stream = streams.stream(for: user) else { return [] }
        return try announcements.map {
            // The fragment may show another contract, which was there before.
            let cause = changes[$0.heldContract.contract]
            var values = $0.heldContract.templateValues(user: user, event: cause?.kind, reason: cause?.reason)
            values.merge(try orderValues(of: $0.heldContract, for: user, isBought: $0.name == .success)) { $1 }
            if policy.catalog.namesEntitlements {
                values[TemplateValues.entitlement] = $0.entitlement.description
                values[TemplateValues.entitlementName] = policy.catalog.title(of: $0.entitlement).text
            }
            return Fragment(
                stream: stream,
                action: "replace",
                target: $0.target.id(of: $0.entitlement, in: policy.catalog),
                content: .template(name: $0.name.rawValue, values: values)
            )
        }
    }
}

extension UnitOfWork {
    /// What the app gave the order that the purchase was made with: for whoever ordered, and not for who has it by now.
    func orderValues(of held: HeldContract, for user: UserID, isBought: Bool) throws -> [String: String] {
        guard let token = held.order, let order = try ledger.order(token), order.user == user else { return [:] }
        return order.context.templateValues(isBought: isBought)
    }

    /// Appends one entry for each fragment, in their order.
    public mutating func broadcast(_ fragments: [Fragment]) throws -> [Cursor] {
        try fragments.map { cursor(try append(Notice(kind: .broadcast), fragments: [$0]).position) }
    }

    /// Records that a user's open pages end, and the names with which they were opened. An erased user has none that show
    /// anything, and stays unnamed: nothing ends then.
    public mutating func endPages(of user: UserID) throws -> EndedPagesResult {
        guard try !ledger.isBuried(.user(user)) else {
            return EndedPagesResult(since: cursor(ledger.head), ending: nil)
        }
        var notice = Notice(kind: .pagesEnded)
        notice.user = user
        let entry = try append(notice)
        let ending = PagesEnding(user: user, position: entry.position)
        ledger.endings[user] = entry.position
        changes.endedPages.append(ending)
        return EndedPagesResult(since: cursor(entry.position), ending: ending)
    }

    /// Records that an app's broadcasts up to now may not have arrived.
    public mutating func recordLostBroadcasts() throws -> Cursor {
        let entry = try append(Notice(kind: .broadcastsLost))
        changes.lostBroadcasts = entry.position
        return cursor(entry.position)
    }

    /// Sends both fragments, in their current state, to a user's pages.
    public mutating func rebroadcast(to user: UserID) throws {
        let entitlements = entitlements(of: user, try ledger.contracts(.held(by: user)))
        let fragments = try fragments(Announcement.current(entitlements), for: user)
        guard !fragments.isEmpty else { return }
        var notice = Notice(kind: .broadcast)
        notice.user = user
        notice.entitlements = entitlements.summaries
        _ = try append(notice, fragments: fragments)
    }
}

/// Tells the app's backend what has changed for a user, in the transaction that changes it.
extension UnitOfWork {
    /// Whether the answer about a user's entitlements says something else than before. False if nobody wants to know.
    func isAnswerChanged(
        from before: EntitlementSet,
        of held: [TrackedContract],
        to after: EntitlementSet,
        of holds: [TrackedContract]
    ) -> Bool {
        guard !policy.hooks.isEmpty else { return false }
        return before.ranked.map { $0.summary(isHonoured: true) }
            != after.ranked.map { $0.summary(isHonoured: true) }
            || unranked(held, in: before) != unranked(holds, in: after)
    }

    /// The contracts that give no access by the policy are in the answer, too.
    private func unranked(_ held: [TrackedContract], in set: EntitlementSet) -> [ContractKey: ContractSummary] {
        let ranked = set.ranked.byKey
        let others = held.filter { ranked[$0.key] == nil }
        return Dictionary(
            others.map { ($0.key, $0.heldContract(policy.catalog).summary(isHonoured: false)) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    mutating func queueHook(_ type: HookType, about user: UserID, state: EntitlementSet? = nil, entry: Int) {
        guard user != importer, policy.hooks.contains(where: { $0.types.contains(type) }) else { return }
        let position = changes.entries[entry].entry.position
        changes.hooks.append(HookRecord(type: type, user: user, position: position, state: state))
    }
}
