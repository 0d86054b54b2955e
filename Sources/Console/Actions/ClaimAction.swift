import API
import APIModel
import Domain
import Encoding
import HTTP
import Pages
import Support

/// Gives the user a purchase that nobody has.
struct ClaimAction: UserAction {
    let right = Right.act
    let title = "Claim a purchase"
    let explanation =
        "An unclaimed purchase (no user is known for it) becomes this user's, as if the user's app had posted it. Take its name "
        + "from Attention, or from the buyer's receipt. A purchase that somebody has stays there."
    let button = "Give it to this user"

    func fields(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup {
        visit["action.claim"].render(["event": Field(values["event"])])
    }

    func perform(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup? {
        let request = ClaimRequest(event: ClaimAction.event(of: values["event"], visit), reason: values.reason)
        _ = try visit.api.post(CommitAnswer.self, to: .claims(user: user), query: values.seen, body: request)
        return nil
    }

    /// The event by which the API knows the purchase that was named; the name itself if nothing else has it.
    private static func event(of name: String, _ visit: Visit) -> String {
        let hits = try? visit.api.get(SearchAnswer.self, from: .search, query: [("q", name)]).found
        guard let hits, !hits.contains(where: { $0.kind == "event" }),
            let cursor = hits.first(where: { $0.kind == "contract" })?.cursor,
            let event = try? visit.api.get(EventAnswer.self, from: .event(id: cursor)).event.event
        else { return name }
        return event
    }
}

/// `/console/claim?event=`: asks for whom, and leads to that user's form.
struct ClaimPage: ConsolePage {
    func show(_ visit: Visit) throws(ConsoleError) -> Response {
        let event = trimmed(visit.query["event"] ?? "")
        guard let name = visit.query["user"].map(trimmed), isValidIdentifier(name) else {
            return visit.page("Claim a purchase", visit["action.claim_for"].render(["event": Field(event)]))
        }
        return visit.redirect(to: "\(ConsoleAddress.user(UserID(name)))/claim?event=\(PercentEncoding.encode(event))")
    }
}
