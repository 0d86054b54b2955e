internal import Domain
internal import HTTP
internal import Pages

/// Where a link of the backend leads. A program that looks at links before a person does sees this page, and its button
/// uses the link up.
struct EnterPage {
    private let layout: ConsoleLayout
    private let templates: ConsoleTemplates

    init(_ layout: ConsoleLayout, _ templates: ConsoleTemplates) {
        self.layout = layout
        self.templates = templates
    }

    func show(_ token: String, door: ConsoleDoor) throws(ConsoleError) -> Response {
        guard let user = door.user(of: token) else { throw .forbidden(ConsoleDoor.deadLink) }
        let body = templates.render("enter", ["user": .text(user.text), "token": .field(token)])
        return layout.page("Open a user's page", session: nil, body)
    }

    func enter(_ request: Request, door: ConsoleDoor) throws(ConsoleError) -> Response {
        guard let token = Query(form: request.body)?["token"] else { throw .forbidden(ConsoleDoor.deadLink) }
        return try door.enter(by: token)
    }
}
