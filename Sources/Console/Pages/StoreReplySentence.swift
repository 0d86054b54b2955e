import API
import APIModel
import Domain

/// What a store said of a name that nothing here has.
struct StoreReplySentence {
    private let reply: LookupAnswer
    private let visit: Visit

    init(_ reply: LookupAnswer, _ visit: Visit) {
        (self.reply, self.visit) = (reply, visit)
    }

    private var store: String { StoreWords.store(reply.provider) }

    var markup: Markup {
        let guess = "It looks like \(reply.kind), and \(store)"
        if let problem = reply.problem { return note("\(guess) could not tell: \(problem).", tone: "warn") }
        guard !reply.purchases.isEmpty else {
            return note("\(guess) knows none of this name for your apps.", tone: "wait")
        }
        return reply.purchases.map { note(words($0), tone: $0.known ? "good" : "wait") }.joined()
    }

    private func note(_ text: String, tone: String) -> Markup {
        visit["search.reply"].render(["text": text, "tone": tone])
    }

    private func words(_ found: LookupAnswer.Found) -> String {
        let facts = [
            found.product, found.environment, StoreWords.price(found.price, currency: found.currency),
            EventStory.date(found.purchasedAt).map { "bought on \($0)" },
            EventStory.date(found.revokedAt).map { "taken back on \($0)" },
        ].compactMap { $0 }.joined(separator: ", ")
        let what = "\(store) knows it: \(found.name)" + (facts.isEmpty ? "" : " (\(facts))")
        guard !found.known else { return what + ", which is listed below." }
        return what + ". It is nobody’s yet: Paycast was never told of it. Open the customer’s page and choose Ask the "
            + "store again, which fetches what did not arrive; if it is older than the store remembers, let the customer "
            + "press Restore purchases."
    }
}
