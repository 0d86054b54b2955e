import API
import APIModel
import Domain
import Pages

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
        return table + preview.render(["user": Field.part(user.text), "names": names.joined(separator: ", ")])
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
            let resend = visit["user.resend"].render(["user": Field.part(user.text), "delivery": Field(delivery.id)])
            return visit["user.hook"].render([
                "url": delivery.url, "type": visit.named(StoreWords.message(delivery.type), delivery.type),
                "state": StoreWords.delivery(delivery.state), "tone": UserTables.tone(ofDelivery: delivery.state),
                "attempts": StoreWords.count(delivery.attempts, "try", "tries"),
                "queued": visit.time(delivery.queuedAt), "ended": visit.time(delivery.endedAt),
                "reason": delivery.reason ?? "", "resend": visit.may(.act) ? resend : .empty,
            ])
        }
        let table = visit.list("user.hooks", rows, none: "Your backend was told nothing of this user\(whyUntold).")
        return visit["user.hooks_section"].render(["table": table])
    }

    private var whyUntold: String {
        guard let hooks = try? visit.api.get(HooksAnswer.self, from: .hooks).hooks else { return "" }
        return hooks.isEmpty ? ": no address is set (PAYCAST_HOOK_URLS)" : ": what the user may use has not changed"
    }

    private static func tone(ofDelivery state: String) -> String {
        switch state {
        case "delivered": "good"
        case "failed": "stop"
        default: "wait"
        }
    }

    /// Nil for a key that may not see it.
    func audit(_ entries: [AuditItem]?) -> Markup {
        guard let entries else { return .empty }
        let rows = entries.map { entry in
            visit["user.act"].render([
                "at": visit.time(entry.at), "who": UserTables.who(entry), "what": UserTables.what(entry.action),
                "reason": entry.reason ?? "",
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
        case .grant: "granted a product"
        case .revoke: "took a grant back"
        case .claim: "gave the user a purchase"
        case .order: "made an order"
        case .erase: "erased a user"
        case .replay: "replayed events"
        case .recover: "asked a store again"
        case .resend: "sent something again"
        case .read: "read what stores sent"
        case nil: action
        }
    }
}
