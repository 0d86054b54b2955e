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
        return visit.page("Nodes", visit["nodes"].render(["nodes": nodes, "facts": facts]))
    }

    private func table(_ ledger: SharedLedgerAnswer, _ visit: Visit) -> Markup {
        let rows = ledger.nodes.map { node in
            visit["nodes.node"].render([
                "name": node.name + (node.name == ledger.node ? " (this one)" : ""),
                "version": node.version ?? "unknown",
                "silent": node.silentSeconds == 0 ? "now" : "\(node.silentSeconds) s ago",
                "work": node.leads ? "leads: jobs, recoveries, questions to stores" : "",
            ])
        }
        return visit["nodes.table"].render([
            "version": ledger.postgresql, "replication": ledger.replication, "standbys": String(ledger.standbys),
            "rows": rows.joined(),
        ])
    }
}
