import API
import HTTP
import Pages

/// `/console`: where a search begins, how the server is, and what it has counted in the last hour or day. The search is
/// there even when nothing else can be told.
struct OverviewPage: ConsolePage {
    func show(_ visit: Visit) throws(ConsoleError) -> Response {
        let mayLook = visit.may(.operate)
        let body = visit["overview"].render([
            "health": mayLook ? health(visit) : Markup.empty, "pictures": mayLook ? pictures(visit) : Markup.empty,
        ])
        return visit.page("Overview", body)
    }

    private func health(_ visit: Visit) -> Markup {
        let sentences: Markup
        var lead = ""
        do throws(ConsoleError) {
            let found = try visit.api.get(AttentionAnswer.self, from: .attention)
            sentences = visit.templates.sentences(problems: found.problems, warnings: found.warnings)
            lead = AttentionPage.lead(found)
        } catch {
            let own = try? visit.api.readiness()
            lead = own?.cause?.text ?? error.message
            let problems = own?.cause?.others ?? own?.problems ?? []
            sentences = visit.templates.sentences(problems: problems, warnings: own?.warnings ?? [])
        }
        return visit["overview.health"].render(["sentences": sentences, "lead": lead])
    }

    private func pictures(_ visit: Visit) -> Markup {
        let isDay = visit.query["range"] == "day"
        let query = [(name: "range", value: isDay ? "day" : "hour")]
        guard let history = try? visit.api.get(HistoryAnswer.self, from: .history, query: query) else { return .empty }
        return visit["overview.pictures"].render([
            "title": isDay ? "The last day of this node" : "The last hour of this node",
            "other": isDay ? "" : "?range=day", "other_title": isDay ? "The last hour" : "The last day",
            "charts": HistoryCharts(history: history).all.map { $0.markup(visit) }.joined(),
        ])
    }
}

/// `/console/nodes`: who shares the ledger, as of the last heartbeat, and this node's settings. Nothing of it is asked of the
/// ledger, so that it is there while that is not.
struct NodesPage: ConsolePage {
    func show(_ visit: Visit) throws(ConsoleError) -> Response {
        let found = try visit.api.readiness()
        let nodes = found.ledger.map { table($0, visit) } ?? visit["nodes.alone"].render()
        let sentences = visit.templates.sentences(problems: found.problems, warnings: found.warnings)
        let facts = visit.facts(visit.facts().map { ($0.name, $0.value) })
        return visit.page("Nodes", visit["nodes"].render(["sentences": sentences, "nodes": nodes, "facts": facts]))
    }

    private func differences(_ ledger: SharedLedgerAnswer, _ visit: Visit) -> Markup {
        guard !ledger.differences.isEmpty else { return .empty }
        let rows = ledger.differences.map { difference in
            visit["nodes.difference"].render([
                "setting": difference.setting, "since": visit.time(difference.since),
                "nodes": difference.nodes.map { $0.joined(separator: ", ") }.joined(separator: " | "),
            ])
        }
        return visit["nodes.differences"].render(["rows": rows.joined()])
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
            "rows": rows.joined(), "differences": differences(ledger, visit),
        ])
    }
}
