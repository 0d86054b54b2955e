import API
import APIModel
import HTTP
import Pages

/// `/console/nodes`: who shares the ledger, and this node's settings.
struct NodesPage: ConsolePage {
    let facts: [(name: String, value: String)]

    func show(_ visit: Visit) throws(ConsoleError) -> Response {
        let found = try visit.api.get(AttentionAnswer.self, from: .attention)
        let nodes = found.ledger.map { table($0, visit) } ?? visit["nodes.alone"].render()
        let facts = visit.facts(facts.map { ($0.name, $0.value) })
        return visit.page("Nodes", visit["nodes"].render(["nodes": .markup(nodes), "facts": .markup(facts)]))
    }

    private func table(_ ledger: SharedLedgerAnswer, _ visit: Visit) -> Markup {
        let rows = ledger.nodes.map { node in
            visit["nodes.node"].render([
                "name": .text(node.name + (node.name == ledger.node ? " (this one)" : "")),
                "version": .text(node.version ?? "unknown"),
                "silent": .text(node.silentSeconds == 0 ? "now" : "\(node.silentSeconds) s ago"),
                "work": .text(node.leads ? "leads: jobs, recoveries, questions to stores" : ""),
            ])
        }
        return visit["nodes.table"].render([
            "version": .text(ledger.postgresql), "replication": .text(ledger.replication),
            "standbys": .text(String(ledger.standbys)), "rows": .markup(rows.joined()),
        ])
    }
}
