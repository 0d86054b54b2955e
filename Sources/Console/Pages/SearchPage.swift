import API
import Domain
import Encoding
import HTTP
import Pages
import Support

/// `/console/search`: one hit leads to its page, which says why; several are listed. The form is posted, so that an e-mail
/// address stands in no address and in no proxy's log; links have it as `?q=`.
struct SearchPage: ConsolePage {
    func show(_ visit: Visit) throws(ConsoleError) -> Response { try found(by: visit.query, visit) }

    func act(_ visit: Visit, form: Query) throws(ConsoleError) -> Response { try found(by: form, visit) }

    private func found(by query: Query, _ visit: Visit) throws(ConsoleError) -> Response {
        // Copying a name adds spaces.
        guard let name = query["q"].map(trimmed), !name.isEmpty else { return visit.redirect(to: "/console") }
        let question = [(name: "q", value: name), (name: "stores", value: "true")]
        let answer = try visit.api.get(SearchAnswer.self, from: .search, query: question)
        let found = answer.found
        let addresses = Set(found.map(SearchPage.address))
        if addresses.count == 1, let address = addresses.first { return visit.redirect(to: address + found.mark) }
        let list =
            found.isEmpty
            ? nothing(name, answer.asked, visit)
            : visit["search.found"].render(["rows": found.map { row($0, visit) }.joined()])
        let title = found.isEmpty ? "Nothing found" : "\(found.count) found"
        let asked = answer.asked.map { StoreReplySentence($0, visit).markup }.joined()
        let body = visit["search"].render(["title": title, "query": Field(name), "asked": asked, "found": list])
        return visit.page("Search", body)
    }

    /// What it can mean. A user's id may look like anything, so the page asks whether it is one.
    private func nothing(_ name: String, _ asked: [LookupAnswer], _ visit: Visit) -> Markup {
        // The store has just said what it is.
        guard asked.allSatisfy(\.purchases.isEmpty) else { return .empty }
        let ask = isValidIdentifier(name) ? visit["search.ask"].render(["address": Field.part(UserID(name))]) : .empty
        return visit["search.nothing"].render(["ask": ask])
    }

    private func row(_ hit: SearchAnswer.Hit, _ visit: Visit) -> Markup {
        visit["search.hit"].render([
            "kind": hit.kind, "address": Field(String(SearchPage.address(of: hit).dropFirst())), "id": hit.id,
            "provider": hit.provider.map(StoreWords.store), "product": hit.product,
            "user": visit.templates.user(hit.user),
        ])
    }

    /// A contract's page is its user's; that of one that nobody has is its newest event's.
    private static func address(of hit: SearchAnswer.Hit) -> String {
        if hit.kind != "event", let user = hit.user { return ConsoleAddress.user(user) }
        return ConsoleAddress.event(hit.cursor ?? hit.id)
    }
}

extension [SearchAnswer.Hit] {
    /// For a user's page that was found by another name than the user's: what the page has of this name.
    fileprivate var mark: String {
        guard !contains(where: { $0.kind == "user" }),
            let hit = first(where: { ["contract", "order"].contains($0.kind) && $0.user != nil })
        else { return "" }
        return "?found=\(PercentEncoding.encode(hit.id))"
    }
}
