import API
import APIModel
import Domain
import Pages

/// What an event claims beside what the ledger has, for one that contradicts the order that its token names.
struct EventSides {
    /// What the event says, and the ledger; nil where it says nothing.
    private let rows: [(name: String, claimed: String?, known: String?)]
    private let visit: Visit

    /// Those that make a contradiction by themselves.
    private static let telling: Set = ["Store", "Group", "Kind"]

    /// Nil for any other event, and once the order is gone.
    init?(_ answer: EventAnswer, order: OrderItem?, _ visit: Visit) {
        let (event, statement) = (answer.event, answer.statement)
        guard event.outcome == Outcome.quarantined.rawValue, let order else { return nil }
        self.visit = visit
        let contracts = order.purchases.map(\.contract).joined(separator: ", ")
        rows = [
            ("User", statement?.user?.text, order.user.text),
            ("Store", event.provider.map(StoreWords.store), order.provider.map(StoreWords.store)),
            ("Product", event.product, order.product), ("Group", statement?.group, order.group),
            ("Kind", (statement?.kind).map(EventSides.kind), order.kind.map(EventSides.kind)),
            ("Contract", event.contract, contracts.isEmpty ? nil : contracts),
            ("Who has that contract", nil, EventSides.owner(of: event.contract, visit)),
        ]
    }

    func markup() -> Markup {
        let cells = rows.map { name, claimed, known in
            let differs = claimed != nil && known != nil && claimed != known
            return visit[differs && EventSides.telling.contains(name) ? "event.contradiction" : "event.side"].render([
                "name": name, "claimed": claimed ?? "not said", "known": known ?? "not said",
            ])
        }
        return visit["event.sides"].render(["rows": cells.joined()])
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
