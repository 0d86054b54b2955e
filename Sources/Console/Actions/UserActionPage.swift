import Domain
import HTTP
import Pages

/// `/console/users/{user}/{action}`: a form with a reason, which is also the confirmation.
struct UserActionPage: ConsolePage {
    let user: UserID
    /// Its word in the address.
    let word: String
    let action: any UserAction

    func show(_ visit: Visit) throws(ConsoleError) -> Response {
        try visit.session.require(action.right)
        return try form(ActionValues(visit.query), visit, status: 200, note: .empty)
    }

    func act(_ visit: Visit, form query: Query) throws(ConsoleError) -> Response {
        try visit.session.require(action.right)
        let values = ActionValues(query)
        if let told = try overtaken(values, visit) { return told }
        guard !values.reason.isEmpty else {
            return try form(
                values,
                visit,
                status: 400,
                note: note("Write why: whoever asks later reads it in the audit.", visit)
            )
        }
        do throws(ConsoleError) {
            guard let result = try action.perform(values, visit, user: user) else {
                return visit.redirect(to: "\(ConsoleAddress.user(user))?done=\(UserActions.mark(word, user, visit))")
            }
            return page(visit, status: 200, result)
        } catch {
            switch error {
            case .conflict(code: "changed_since", _):
                if let told = try overtaken(values, visit) { return told }
                fallthrough
            case .invalid, .conflict, .notFound:
                return try form(values, visit, status: error.status, note: note(error.message, visit))
            default: throw error
            }
        }
    }

    /// The form again, with what has happened to the user since it was opened; nil if nothing has.
    private func overtaken(_ values: ActionValues, _ visit: Visit) throws(ConsoleError) -> Response? {
        let news = try SeenState(of: user, visit).news(since: values["seen"])
        guard !news.isEmpty else { return nil }
        let items = news.map { visit["action.news_item"].render(["text": $0]) }.joined()
        return try form(values, visit, status: 409, note: visit["action.news"].render(["items": items]))
    }

    private func note(_ text: String, _ visit: Visit) -> Markup { visit["action.note"].render(["text": text]) }

    private func form(
        _ values: ActionValues,
        _ visit: Visit,
        status: Int,
        note: Markup
    ) throws(ConsoleError) -> Response {
        // Read before the form is shown: whatever is committed after this is news to whoever sends it.
        let seen = try SeenState(of: user, visit)
        let fields = try action.fields(values, visit, user: user)
        let body = visit["action.form"].render([
            "note": note, "explanation": action.explanation, "fields": fields, "reason": Field(values.reason),
            "seen": seen.text, "button": action.button, "tone": action.isFinal ? "danger" : "primary",
            "key": visit.session.name,
        ])
        return page(visit, status: status, body)
    }

    private func page(_ visit: Visit, status: Int, _ inner: Markup) -> Response {
        let body = visit["action"].render([
            "title": action.title, "user": user.text, "inner": inner, "address": Field.part(user.text),
        ])
        return visit.page(action.title, status: status, body)
    }
}
