import API
import APIModel
import Domain
import Encoding
import HTTP
import Pages
import Stores

/// `/console/attention`: what needs somebody, each with what to do.
struct AttentionPage: ConsolePage {
    func show(_ visit: Visit) throws(ConsoleError) -> Response {
        let found = try visit.api.get(AttentionAnswer.self, from: .attention)
        let sentences = visit.templates.sentences(problems: found.problems, warnings: found.warnings)
        let isWell = found.problems.isEmpty && found.warnings.isEmpty
        let quarantined = visit.templates.table(
            found.quarantined,
            caption: "The newest",
            none: "No event does: every order got what it was made for."
        )
        let body = visit["attention"].render([
            "lead": AttentionPage.lead(found), "sentences": isWell ? visit["attention.fine"].render() : sentences,
            "unclaimed_count": "\(StoreWords.capped(found.unclaimedContracts)) in all.", "who": who(visit),
            "refunds": refunds(found.refunds, visit),
            "may_answer": visit.may(.act) ? nil : "A key with the right act may answer.",
            "twice": twice(found.paidTwice, visit), "unlisted": unlisted(found.unlisted, visit),
            "unclaimed": unclaimed(found.unclaimed, visit), "quarantined": quarantined,
            "node": found.node, "refused": refused(found.refused, visit), "jobs": jobs(found.jobs, visit),
            "hooks": hooks(found.hooks, visit), "failed": failed(found.failedHooks, visit),
        ])
        return visit.page("Attention", body)
    }

    /// Whom it concerns, and how the server is: all that stands below, counted.
    static func lead(_ found: AttentionAnswer) -> String {
        let own = found.problems.count + found.warnings.count
        let all = [
            (own, "trouble of this server", "troubles of this server"),
            (found.unclaimedContracts, StoreWords.unclaimed.one, StoreWords.unclaimed.many),
            (found.refunds.count, "refund that Apple asks about", "refunds that Apple asks about"),
            (found.paidTwice.count, "user who pays twice", "users who pay twice"),
            (found.unlisted.count, "product that the catalog does not name", "products that the catalog does not name"),
            (found.quarantined.count, "event that contradicts an order", "events that contradict an order"),
            (found.refused.count, "refused webhook", "refused webhooks"),
            (found.jobs.count, "word for a store that is late", "words for stores that are late"),
            (found.hooks.count, "address of your backend that fails", "addresses of your backend that fail"),
            (found.failedHooks.count, "message that was given up", "messages that were given up"),
        ]
        let counts = all.filter { $0.0 > 0 }.map { StoreWords.count($0.0, $0.1, $0.2) }
        guard !counts.isEmpty else { return "All is well: nothing needs anybody." }
        return "\(own == 0 ? "The server itself is well. " : "")Somebody should look at \(StoreWords.list(counts))."
    }

    /// For whom the address asks.
    private func user(_ visit: Visit) -> UserID? {
        visit.query["user"].flatMap { isValidIdentifier($0) ? UserID($0) : nil }
    }

    private func who(_ visit: Visit) -> String {
        let aim = user(visit).map { " for \($0.text)" } ?? ""
        guard visit.may(.act) else { return "A key with the right act may claim one\(aim)." }
        return aim.isEmpty ? "" : "The links claim one\(aim)."
    }

    private func refunds(_ refunds: [AttentionAnswer.Refund], _ visit: Visit) -> Markup {
        let rows = refunds.map { asked in
            let link = visit["attention.answer"].render(["address": Field.part(asked.transaction)])
            return visit["attention.refund"].render([
                "id": Field.part(asked.cursor), "product": asked.product,
                "price": StoreWords.price(asked.price, currency: asked.currency), "transaction": asked.transaction,
                "store": "\(StoreWords.store(Provider.apple.rawValue)), \(asked.environment)",
                "user": asked.user.map { visit.templates.user($0) }, "asked": visit.time(asked.askedAt),
                "until": visit.time(asked.deadline), "left": RefundPage.left(asked, visit),
                "why": StoreWords.refund(asked.reason, visit),
                "refusal": asked.refusal.map { visit["attention.answer_refused"].render(["why": $0]) },
                "answer": visit.may(.act) ? link : .empty,
            ])
        }
        return visit.list("attention.refunds", rows, none: "Apple has no open question about a refund.")
    }

    private func twice(_ payments: [PaidTwice], _ visit: Visit) -> Markup {
        let rows = payments.map { payment in
            let sentence = DoublePaymentSentence(payment: payment)
            return visit["attention.payer"].render([
                "user": visit.templates.user(payment.user), "what": sentence.what, "next": sentence.next,
            ])
        }
        return visit.list("attention.payers", rows, none: "No two subscriptions that renew open the same for one user.")
    }

    private func unlisted(_ products: [AttentionAnswer.Unlisted], _ visit: Visit) -> Markup {
        let rows = products.map { product in
            visit["attention.product"].render([
                "product": product.product, "store": StoreWords.store(product.provider),
                "users": StoreWords.capped(product.users),
            ])
        }
        return visit.list("attention.products", rows, none: "The catalog says of every product what it opens.")
    }

    /// Each with its id, and the way to give it to somebody: the user whom the address names, or one who is asked for.
    private func unclaimed(_ items: [FeedItem], _ visit: Visit) -> Markup {
        let user = self.user(visit)
        let answers = visit.api.answers(about: items)
        let rows = items.map { item in
            let statement = answers[item.cursor]?.statement
            let event = PercentEncoding.encode(item.event ?? item.cursor)
            let address =
                user.map { "users/\(ConsoleAddress.part($0))/claim?event=\(event)" } ?? "claim?event=\(event)"
            let title = user.map { "Claim it for \($0.text)" } ?? "Claim it for a user"
            let link = visit["attention.claim"].render(["address": Field(address), "title": title])
            return visit["attention.purchase"].render([
                "at": visit.time(item.at, as: ConsoleTime.seconds), "id": Field.part(item.cursor),
                "store": StoreWords.source(item),
                "title": EventNames.title(item.kind), "words": EventNames.ownWords(item) ?? item.kind,
                "product": item.product, "event": item.event,
                "price": StoreWords.price(statement?.price, currency: statement?.currency),
                "bought": visit.time(statement?.purchasedAt), "name": AttentionPage.receiptName(of: item, statement),
                "why": EventStory.whyUnclaimed(item), "claim": visit.may(.act) && item.event != nil ? link : .empty,
            ])
        }
        return visit.list("attention.purchases", rows, none: "Every purchase that came has its user.")
    }

    /// What the buyer's receipt calls it: Google's has an order number in the place of the purchase token.
    private static func receiptName(of item: FeedItem, _ statement: StatementItem?) -> String {
        let charge = item.provider == Provider.google.rawValue ? statement?.transaction : nil
        return charge ?? item.contract ?? ""
    }

    private func refused(_ refused: [AttentionAnswer.Refused], _ visit: Visit) -> Markup {
        let rows = refused.map { refusal in
            visit["attention.refusal"].render([
                "at": visit.time(refusal.at), "route": refusal.route, "client": refusal.client ?? "unknown",
                "reason": refusal.reason, "message": refusal.message, "todo": AttentionPage.todo(refusal),
                "bytes": String(refusal.bytes),
            ])
        }
        return visit.list("attention.refusals", rows, none: "This node has taken every webhook since its start.")
    }

    /// What to do about a webhook that was refused.
    static func todo(_ refusal: AttentionAnswer.Refused) -> String {
        if let setting = refusal.setting { return "Compare \(setting) with what the store has." }
        switch refusal.reason {
        case "signed_in_past":
            return "If the clock is right, it came late (a queue, a proxy), or a stranger sent an old one again. "
                + sendAgain
        case "signed_in_future": return sendAgain
        case "outside_validity": return "Compare this server's clock with the time."
        case "wrong_environment", "not_configured":
            return "Set what the store needs, or take the address out at the store."
        case "store_unreachable": return unreachable(refusal)
        default: return "It does not look like the store's: if its address is a stranger's, there is nothing to do."
        }
    }

    private static func unreachable(_ refusal: AttentionAnswer.Refused) -> String {
        let isKey = refusal.message == VerificationError.storeUnreachable(.refusedKey).message
        return isKey
            ? "Correct the key of the store's API. The store sends it again."
            : "The store sends it again, and it is taken once the store's API answers."
    }

    private static let sendAgain =
        "Then fetch what is missing: Apple’s and Google’s with Ask the store again on the user’s page; let Stripe and the "
        + "others deliver again from their dashboards."

    private func jobs(_ jobs: [AttentionAnswer.Job], _ visit: Visit) -> Markup {
        let rows = jobs.map { job in
            visit["attention.job"].render([
                "kind": visit.named(StoreWords.job(job.kind), job.kind), "provider": StoreWords.store(job.provider),
                "subject": job.subject, "attempts": String(job.attempts), "deadline": visit.time(job.deadline),
                "state": job.abandonedAt == nil ? "waiting" : "given up", "reason": job.reason,
            ])
        }
        return visit.list("attention.jobs", rows, none: "No task is near its deadline, and none was given up.")
    }

    private func hooks(_ hooks: [HooksAnswer.Hook], _ visit: Visit) -> Markup {
        let rows = hooks.map { hook in
            visit["attention.hook"].render([
                "url": hook.url, "state": StoreWords.delivery(hook.state), "since": visit.time(hook.failingSince),
                "waiting": StoreWords.capped(hook.waiting), "reason": hook.reason,
            ])
        }
        return visit.list("attention.hooks", rows, none: "No address of your backend fails.")
    }

    private func failed(_ failed: [HookDeliveriesAnswer.Delivery], _ visit: Visit) -> Markup {
        let rows = failed.map { delivery in
            visit["attention.failure"].render([
                "user": visit.templates.user(delivery.user),
                "type": visit.named(StoreWords.message(delivery.type), delivery.type), "url": delivery.url,
                "at": visit.time(delivery.endedAt), "reason": delivery.reason,
            ])
        }
        return visit.list("attention.failed", rows, none: "No message was given up.")
    }
}

extension ConsoleTemplates {
    /// `/ready` in sentences; none if all is well.
    func sentences(problems: [String], warnings: [String]) -> Markup {
        problems.map { self["attention.problem"].render(["text": $0]) }.joined()
            + warnings.map { self["attention.warning"].render(["text": $0]) }.joined()
    }
}
