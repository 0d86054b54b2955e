import API
import HTTP
import Pages

/// `/console/live`: the newest events, by the filter in the address. New ones come by a stream of ours.
struct LivePage: ConsolePage {
    private static let length = "50"

    func show(_ visit: Visit) throws(ConsoleError) -> Response {
        let filter = LiveFilter(visit.query)
        let refusal = filter.refusal
        let list: Markup
        if let refusal {
            list = visit["live.wrong"].render(["sentence": refusal])
        } else {
            list = try self.list(filter, visit)
        }
        let body = visit["live"].render([
            "providers": options(LiveFilter.providers, StoreWords.store, filter["provider"], visit),
            "environments": options(LiveFilter.environments, { $0 }, filter["environment"], visit),
            "outcomes": options(LiveFilter.outcomes, StoreWords.outcome, filter["outcome"], visit),
            "type": Field(filter["type"]), "product": Field(filter["product"]), "user": Field(filter["user"]),
            "list": list,
        ])
        return visit.page("Live", status: refusal == nil ? 200 : 422, body)
    }

    private func list(_ filter: LiveFilter, _ visit: Visit) throws(ConsoleError) -> Markup {
        let before = visit.query["before"].map { [(name: "before", value: $0)] } ?? []
        let query = filter.parameters + before + [(name: "limit", value: LivePage.length)]
        let found = try visit.api.get(EventsAnswer.self, from: .events, query: query)
        let next = found.next.map { cursor in
            visit["live.next"].render(["query": Field(filter.text), "cursor": cursor])
        }
        let caption = before.isEmpty ? "Newest commit first" : "Older ones, newest commit first"
        let isWhole = found.next == nil
        let none = before.isEmpty || !isWhole ? filter.none(isWhole: isWhole) : "There is nothing older."
        // A page of older ones stands still.
        guard before.isEmpty else {
            return visit.templates.table(found.events, caption: caption, none: none) + (next ?? .empty)
        }
        return visit["live.list"].render([
            "query": Field(filter.text), "cursor": found.since,
            "table": visit.templates.table(found.events, caption: caption, none: none, name: "live-rows"), "next": next,
        ])
    }

    private func options(
        _ values: [String],
        _ words: (String) -> String,
        _ chosen: String,
        _ visit: Visit
    ) -> Markup {
        visit.options([(value: "", title: "any")] + values.map { (value: $0, title: words($0)) }, chosen: chosen)
    }
}

/// `/console/live/stream`, for whoever cannot follow it.
struct LiveStreamPage: ConsolePage {
    func show(_ visit: Visit) throws(ConsoleError) -> Response {
        try visit.session.require(.operate)
        throw .notFound("There is no such list. Open /console/live.")
    }
}
