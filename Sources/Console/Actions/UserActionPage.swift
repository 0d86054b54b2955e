import Domain
import HTTP
import Pages

/// `/console/users/{user}/{action}`: a form with a reason, which is also the confirmation.
struct UserActionPage: ConsolePage {
    let user: UserID
    let action: UserAction

    func show(_ visit: Visit) throws(ConsoleError) -> Response {
        try visit.session.require(action.right)
        return try page(ActionForm(visit: visit, user: user, query: visit.query), status: 200, note: .empty)
    }

    func act(_ visit: Visit, form query: Query) throws(ConsoleError) -> Response {
        try visit.session.require(action.right)
        var form = ActionForm(visit: visit, user: user, query: query)
        if let told = try overtaken(form) { return told }
        guard !form.reason.isEmpty else {
            return try page(form, status: 400, note: "Write why: whoever asks later reads it in the audit.")
        }
        if let question = action.question(form) {
            form.isQuestion = true
            return try page(form, status: 200, note: visit["action.question"].render(["text": question]))
        }
        do throws(ConsoleError) {
            guard let result = try action.perform(form) else {
                return visit.redirect(to: "\(ConsoleAddress.user(user))?done=\(action.mark(user, visit))")
            }
            return page(visit, status: 200, result)
        } catch {
            switch error {
            case .conflict(code: "changed_since", _):
                if let told = try overtaken(form) { return told }
                fallthrough
            case .invalid, .conflict, .notFound: return try page(form, status: error.status, note: error.message)
            default: throw error
            }
        }
    }

    /// The form again, with what has happened to the user since it was opened; nil if nothing has.
    private func overtaken(_ form: ActionForm) throws(ConsoleError) -> Response? {
        let news = try SeenState(of: user, form.visit).news(since: form["seen"])
        guard !news.isEmpty else { return nil }
        let items = news.map { form.visit["action.news_item"].render(["text": $0]) }.joined()
        return try page(form, status: 409, note: form.visit["action.news"].render(["items": items]))
    }

    private func page(_ form: ActionForm, status: Int, note: String) throws(ConsoleError) -> Response {
        try page(form, status: status, note: form.visit["action.note"].render(["text": note]))
    }

    private func page(_ form: ActionForm, status: Int, note: Markup) throws(ConsoleError) -> Response {
        // Read before the form is shown: whatever is committed after this is news to whoever sends it.
        let seen = try SeenState(of: user, form.visit)
        let body = form.visit["action.form"].render([
            "note": note, "explanation": action.explanation, "fields": try action.fields(form),
            "reason": Field(form.reason), "seen": seen.text, "button": action.button,
            "tone": action.isFinal ? "danger" : "primary", "key": form.visit.session.name,
        ])
        return page(form.visit, status: status, body)
    }

    private func page(_ visit: Visit, status: Int, _ inner: Markup) -> Response {
        let body = visit["action"].render([
            "title": action.title, "user": user.text, "inner": inner, "address": Field.part(user),
        ])
        return visit.page(action.title, status: status, body)
    }
}
