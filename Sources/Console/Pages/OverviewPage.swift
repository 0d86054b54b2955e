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
            sentences = visit.sentences(problems: found.problems, warnings: found.warnings)
            lead = AttentionPage.lead(found)
        } catch {
            sentences = visit.sentences(problems: [error.message], warnings: [])
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
