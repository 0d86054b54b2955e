import API
import APIModel
import Domain
import HTTP
import Pages

/// The tables of a user's page. An empty one says what that means.
struct UserTables {
    let visit: Visit
    let user: UserID

    /// Whether other pages may be opened from this one.
    private var hasLinks: Bool { visit.session.user == nil }

    /// Each entitlement, and why it is as it is; nothing if there is only one, of which the page speaks already.
    func entitlements(_ facts: UserFacts) -> Markup {
        let items = facts.record.entitlements
        guard items.count > 1 else { return .empty }
        let rows = facts.entitlements.compactMap { name in items[name].map { entitlement(name, $0, facts) } }
        return visit["user.entitlements"].render(["rows": rows.joined()])
    }

    private func entitlement(_ name: String, _ item: EntitlementItem, _ facts: UserFacts) -> Markup {
        let contract = facts.record.contracts.first { contract in
            item.contract?.hasSameBytes(as: contract.summary.contract) == true
                && contract.summary.provider == item.provider
        }
        let why = contract.map { ContractSentence($0, events: facts.events.events, now: visit.now).what }
        return visit["user.entitlement"].render([
            "name": name, "state": item.state.map(StoreWords.state) ?? "never had",
            "tone": item.active ? "good" : item.state.map { StoreWords.tone($0) } ?? "quiet",
            "until": item.active && item.accessUntil == nil
                ? visit["user.no_end"].render() : visit.time(item.accessUntil),
            "product": item.product, "why": why ?? "No contract opens it.",
        ])
    }

    func contracts(_ facts: UserFacts) -> Markup {
        let rows = facts.record.contracts.map { contract($0, facts) }
        return visit.list("user.contracts", rows, none: "No contract at any store, and no grant.")
    }

    private func contract(_ contract: ContractDetail, _ facts: UserFacts) -> Markup {
        let (item, details) = (contract.summary, contract.details)
        let sentence = ContractSentence(contract, events: facts.events.events, now: visit.now)
        let named = details.owner.map { hasLinks ? $0.text : "another user" } ?? "nobody"
        let owner = details.owner == user ? nil : "owned by \(named)"
        let also = [
            item.group.map { "group \($0)" }, details.account.map { "buyer \($0)" }, owner,
            item.family ? "shared through the family" : nil,
        ].compactMap { $0 }.joined(separator: ", ")
        let isTest = item.provider != Provider.paycast.rawValue && item.environment != "Production"
        let price = StoreWords.price(details.price, currency: details.currency)
        return visit["user.contract"].render([
            "product": item.product, "state": StoreWords.state(item.state), "tone": StoreWords.tone(item),
            "store": StoreWords.store(item.provider),
            "environment": item.provider == Provider.paycast.rawValue ? "" : item.environment, "app": details.app,
            "contract": item.contract, "price": price.map { $0 + (isTest ? ", but no money was taken" : "") },
            "renewal": sentence.renewal, "also": also,
            "opens": item.entitlements.isEmpty ? "nothing" : item.entitlements.joined(separator: ", "),
            "until": item.accessUntil == nil ? visit["user.no_end"].render() : visit.time(item.accessUntil),
            "what": sentence.what, "next": sentence.next, "revoke": revoke(item), "found": found(item.contract),
        ])
    }

    /// Marks what a search has led to.
    private func found(_ name: String) -> Markup {
        visit.query["found"]?.hasSameBytes(as: name) == true ? visit.templates.chip("found", tone: "wait") : .empty
    }

    /// Only a grant that still runs can be taken back here.
    private func revoke(_ item: ContractItem) -> Markup {
        guard visit.may(.act), item.provider == Provider.paycast.rawValue, item.active else { return .empty }
        return visit["user.revoke"].render(["user": Field.part(user), "grant": Field.part(item.contract)])
    }

    /// What the user was charged, newest first.
    func purchases(_ facts: UserFacts) -> Markup {
        guard let found = facts.purchases else { return visit.nothing("They cannot be told at the moment.") }
        let rows = found.purchases.map { item in
            let price = item.price.map { Int64($0) }
            let refunded = item.refunded.map { Int64($0) }
            let back = StoreWords.price(refunded, currency: item.currency)
            let isTest = item.environment != "Production"
            return visit["user.purchase"].render([
                "transaction": item.transaction, "product": item.product,
                "quantity": item.quantity == 1 ? "" : "× \(item.quantity)",
                "store": StoreWords.store(item.store) + (isTest ? " \(item.environment), no money was taken" : ""),
                "at": visit.time(item.purchasedAt),
                "until": item.expiresAt.map { visit["user.paid_until"].render(["at": visit.time($0)]) } ?? .empty,
                "price": item.trial == true
                    ? "free trial" : StoreWords.price(price, currency: item.currency) ?? "not told",
                "offer": item.offer,
                "refund": item.refundedAt.map { at in
                    visit["user.given_back"].render(["amount": back, "at": visit.time(at)])
                } ?? .empty,
            ])
        }
        let older = found.next == nil ? Markup.empty : visit["user.more_purchases"].render()
        return visit.list("user.purchases", rows, none: "No charge of this user is known.") + older
    }

    func orders(_ facts: UserFacts) -> Markup {
        let orders = facts.record.orders
        let rows = orders.map { order in
            visit["user.order"].render([
                "order": order.order, "found": found(order.order), "product": order.product,
                "store": order.provider.map(StoreWords.store) ?? "any", "at": visit.time(order.createdAt),
                "state": UserTables.orderStates[order.state] ?? order.state,
                "purchases": order.purchases.map { purchase($0, of: order) }.joined(separator: "; "),
            ])
        }
        let isNew = facts.events.events.contains { $0.isMove && $0.user == user }
        let why = isNew ? "the purchase was moved here" : "the app asks for none, or another user was signed in"
        return visit.list("user.orders", rows, none: "No order was made for this user: \(why).")
    }

    /// As it is now: it may have become another product, and another user's.
    private func purchase(_ item: OrderPurchaseItem, of order: OrderItem) -> String {
        let bought = order.bought.flatMap { $0.hasSameBytes(as: order.product) ? nil : "bought \($0)" }
        let known = order.bought ?? order.product
        let product = item.product.hasSameBytes(as: known) ? nil : "now \(item.product)"
        let owner = item.user.flatMap { owner -> String? in
            owner == user ? nil : hasLinks ? "now of \(owner.text)" : "now another user's"
        }
        let parts: [String?] = [item.contract, StoreWords.state(item.state), bought, product, owner]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    private static let orderStates = [
        "open": "open: no store has named it", "pending": "bought, not paid yet", "fulfilled": "bought",
        "refunded": "bought, and taken back", "quarantined": "what came contradicts it",
    ]

    func events(_ facts: UserFacts, isFirst: Bool) -> Markup {
        let answer = facts.listed
        guard !answer.events.isEmpty else {
            return visit.nothing(isFirst ? "No event of this user is known." : "There is nothing older.")
        }
        let older = answer.next.map {
            visit["user.older"].render(["user": Field.part(user), "before": Field.part($0)])
        }
        let rows = answer.events.map { event($0, facts) }
        return visit["user.events"].render(["rows": rows.joined(), "older": older])
    }

    private func event(_ item: FeedItem, _ facts: UserFacts) -> Markup {
        let change = item.state.map { state in
            let before = item.previousState.flatMap { $0 == state ? nil : StoreWords.state($0) + " → " }
            return (before ?? "") + StoreWords.state(state)
        }
        let told = facts.fragments(item).compactMap { $0.fragment ?? $0.target }
            .reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        // How many pages took the fragments is asked for the newest alone; each event's own page says it.
        // Of a move, it counts the pages of both users.
        let newest = item.isMove && !hasLinks ? nil : facts.newestTold
        let taken = newest.flatMap { $0.event.cursor == item.cursor ? ". " + EventStory.taken($0.way) : nil }
        let outcome = StoreWords.outcome(of: item)
        return visit[hasLinks ? "user.event" : "user.event_without_link"].render([
            "id": Field.part(item.cursor), "title": EventNames.title(item.kind), "at": visit.time(item.at),
            "occurred": occurred(item), "words": EventNames.ownWords(item) ?? item.kind,
            "store": item.provider.map(StoreWords.store),
            "environment": item.provider == Provider.paycast.rawValue ? "" : item.environment ?? "",
            "outcome": outcome?.words, "tone": outcome?.tone ?? "quiet",
            "reason": reason(item, among: facts.listed.events), "change": change,
            "told": told.isEmpty ? "" : "for pages: " + told.joined(separator: ", ") + (taken ?? ""),
        ])
    }

    /// The store's own date, where it is another minute than that of the commit.
    private func occurred(_ item: FeedItem) -> Markup {
        guard let own = item.occurredAt, let date = own.instant, let at = item.at.instant,
            abs(at.milliseconds - date.milliseconds) > 60_000
        else { return .empty }
        return visit["user.occurred"].render(["at": visit.time(own)])
    }

    private func reason(_ item: FeedItem, among events: [FeedItem]) -> Markup {
        guard item.outcome == Outcome.stale.rawValue, let newer = item.newer(among: events),
            let date = newer.date
        else { return visit["user.reason"].render(["text": item.reason]) }
        return visit[hasLinks ? "user.newer" : "user.newer_without_link"].render([
            "id": Field.part(newer.cursor), "time": ConsoleTime.text(date),
        ])
    }
}

/// Whom Paycast has told: open pages, the backend; and what people did.
extension UserTables {
    func pages(_ facts: UserFacts) -> Markup {
        guard let answer = facts.pages else {
            return visit.nothing("This node cannot tell which pages are open at the moment.")
        }
        let rows = answer.pages.map { page in
            visit["user.page"].render([
                "transport": StoreWords.transport(page.transport), "since": visit.time(page.openedAt),
                "behind": UserTables.lag(page),
            ])
        }
        let none =
            "No page of this user is open at \(answer.node). It shows the newest state as soon as it opens. Has the "
            + "customer a page before them? Then it is not connected here, or shows another user: it was signed in "
            + "as another, or made before the log-in. Let them reload it and sign in again."
        let table = visit.list("user.pages", rows, none: none)
        guard !answer.shown.isEmpty else { return table }
        let names = answer.shown.map { shown in
            let made = facts.events.events.first { $0.cursor == shown.cursor }
                .flatMap { facts.fragments($0).last { $0.target == shown.target }?.fragment }
            return (shown.target ?? "several elements") + (made.map { " (\($0))" } ?? "")
        }
        let preview = visit["user.preview"]
        return table + preview.render(["user": Field.part(user), "names": names.joined(separator: ", ")])
    }

    private static func lag(_ page: UserPagesAnswer.Page) -> String {
        if page.waitingBytes > 0 { return "behind: \(page.waitingBytes) bytes wait until its socket takes them" }
        return page.cursor == nil ? "catching up" : "has everything"
    }

    /// Nil for a key that may not see it.
    func hooks(_ deliveries: [HookDeliveriesAnswer.Delivery]?) -> Markup {
        guard let deliveries else { return .empty }
        // That a user was erased is told to the backend, and to nobody here.
        let shown = deliveries.filter { $0.type != HookType.userErased.rawValue }
        let rows = shown.prefix(20).map { delivery in
            let resend = visit["user.resend"].render(["user": Field.part(user), "delivery": Field(delivery.id)])
            return visit["user.hook"].render([
                "url": delivery.url, "type": visit.named(StoreWords.message(delivery.type), delivery.type),
                "state": StoreWords.delivery(delivery.state),
                "tone": ["delivered": "good", "failed": "stop"][delivery.state] ?? "wait",
                "attempts": StoreWords.count(delivery.attempts, "try", "tries"),
                "queued": visit.time(delivery.queuedAt), "ended": visit.time(delivery.endedAt),
                "reason": delivery.reason, "resend": visit.may(.act) ? resend : .empty,
            ])
        }
        let table = visit.list("user.hooks", rows, none: "Your backend was told nothing of this user\(whyUntold).")
        return visit["user.hooks_section"].render(["table": table])
    }

    private var whyUntold: String {
        guard let hooks = try? visit.api.get(HooksAnswer.self, from: .hooks).hooks else { return "" }
        return hooks.isEmpty ? ": no address is set (PAYCAST_HOOK_URLS)" : ": what the user may use has not changed"
    }

    /// Nil for a key that may not see it.
    func audit(_ entries: [AuditItem]?) -> Markup {
        guard let entries else { return .empty }
        let rows = entries.map { entry in
            visit["user.act"].render([
                "at": visit.time(entry.at), "who": UserTables.who(entry), "what": UserTables.what(entry.action),
                "reason": entry.reason,
            ])
        }
        let table = visit.list("user.acts", rows, none: "Nobody of yours has done anything to this user.")
        return visit["user.audit_section"].render(["table": table])
    }

    static func who(_ entry: AuditItem) -> String {
        entry.systemUser.map { "\($0) by \(entry.actor)" } ?? entry.actor
    }

    static func what(_ action: String) -> String {
        switch Act.Action(rawValue: action) {
        case .grant: "granted access"
        case .revoke: "took a grant back"
        case .claim: "gave the user a purchase"
        case .order: "made an order"
        case .erase: "erased a user"
        case .replay: "replayed events"
        case .recover: "asked a store again"
        case .resend: "sent something again"
        case .refund: "answered Apple about a refund"
        case .endPages: "ended the open pages"
        case .read: "read what stores sent"
        case nil: action
        }
    }
}
