import APIModel
import Domain
import Encoding
import HTTP
import Pages

/// Gives the user a purchase that nobody has.
struct ClaimAction: UserAction {
    let right = Right.act
    let title = "Claim a purchase"
    let explanation =
        "A purchase that no user is known for becomes this user's, as if the user's app had posted it. Take the event's id from "
        + "what needs attention, or from the buyer's receipt. A purchase that somebody has stays there."
    let button = "Give it to this user"

    func fields(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup {
        visit.render("action.claim", ["event": .field(values["event"])])
    }

    func perform(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup? {
        let request = ClaimRequest(event: values["event"], reason: values.reason)
        _ = try visit.api.post(CommitAnswer.self, to: .claims(user: user), query: values.seen, body: request)
        return nil
    }
}

/// `/console/claim?event=`: asks for whom, and leads to that user's form.
struct ClaimPage: ConsolePage {
    func show(_ visit: Visit) throws(ConsoleError) -> Response {
        let event = visit.query["event"]?.trimmed ?? ""
        guard let name = visit.query["user"]?.trimmed, isValidIdentifier(name) else {
            return visit.page("Claim a purchase", visit.render("action.claim_for", ["event": .field(event)]))
        }
        return visit.redirect(to: "\(ConsoleAddress.user(UserID(name)))/claim?event=\(PercentEncoding.encode(event))")
    }
}
