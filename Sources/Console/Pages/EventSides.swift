import APIModel
import Domain
import Pages

/// What an event claims beside what the ledger has, for one that contradicts the order that its token names.
struct EventSides {
    private struct Row {
        let name: String
        /// Of the event, and of the ledger; nil where it says nothing.
        let claimed, known: String?
        /// Whether these two alone make a contradiction.
        var isTelling = false

        var differs: Bool { claimed.flatMap { claimed in known.map { $0 != claimed } } ?? false }
    }

    private let rows: [Row]
    private let visit: Visit

    /// Nil for any other event, and once the order is gone.
    init?(_ answer: EventAnswer, order: OrderItem?, _ visit: Visit) {
        let event = answer.event
        guard event.outcome == Outcome.quarantined.rawValue, let order else { return nil }
        self.visit = visit
        let statement = answer.statement
        rows = [
            Row(name: "User", claimed: statement?.user?.text, known: order.user.text),
            Row(
                name: "Store",
                claimed: event.provider.map(StoreWords.store),
                known: order.provider.map(StoreWords.store),
                isTelling: true
            ),
            Row(name: "Product", claimed: event.product, known: order.product),
            Row(name: "Group", claimed: statement?.group, known: order.group, isTelling: true),
            Row(
                name: "Kind",
                claimed: statement.map { EventSides.kind($0.kind) },
                known: order.kind.map(EventSides.kind),
                isTelling: true
            ),
            Row(
                name: "Contract",
                claimed: event.contract,
                known: order.purchases.isEmpty ? nil : order.purchases.map(\.contract).joined(separator: ", ")
            ),
            Row(name: "Who has that contract", claimed: nil, known: EventSides.owner(of: event.contract, visit)),
        ]
    }

    func markup() -> Markup {
        let cells = rows.map { row in
            visit.render(
                row.isTelling && row.differs ? "event.contradiction" : "event.side",
                [
                    "name": .text(row.name), "claimed": .text(row.claimed ?? "not said"),
                    "known": .text(row.known ?? "not said"),
                ]
            )
        }
        return visit.render("event.sides", ["rows": .markup(cells.joined())])
    }

    /// Stores do not tell all one-time kinds apart.
    private static func kind(_ kind: String) -> String { kind == "subscription" ? "subscription" : "bought once" }

    private static func owner(of contract: String?, _ visit: Visit) -> String? {
        guard let contract,
            let found = try? visit.api.get(SearchAnswer.self, from: .search, query: [("q", contract)]).found
        else { return nil }
        return found.first { $0.kind == "contract" }?.user?.text ?? "nobody"
    }
}
