import Pages

/// The frame around each page: its head, the menu, and who has logged in.
extension ConsoleTemplates {
    /// The pages of the menu, each with the right without which it is not offered.
    private static let menu: [(title: String, address: String, right: Right)] = [
        ("Overview", "/console", .read), ("Live", "/console/live", .operate),
        ("Attention", "/console/attention", .operate), ("Nodes", "/console/nodes", .operate),
    ]

    /// Without a session there is no menu. `address` is the page's own.
    func page(
        _ title: String,
        status: Int = 200,
        session: ConsoleSession?,
        address: String = "",
        _ body: Markup
    ) -> Response {
        let html = self["layout"].render([
            "title": title, "body": body, "bar": session.map { bar($0, address: address) },
        ]).html
        return Response(status: status, contentType: "text/html; charset=utf-8", body: html)
    }

    private func bar(_ session: ConsoleSession, address: String) -> Markup {
        guard session.user == nil else {
            return self["layout.bar_of_one"].render(["key": session.name])
        }
        let items = ConsoleTemplates.menu.filter { session.rights.contains($0.right) }.map { item in
            let isHere = item.address == address
            return self[isHere ? "layout.here" : "layout.item"].render([
                "title": item.title, "address": String(item.address.dropFirst()),
            ])
        }
        return self["layout.bar"].render(["items": items.joined(), "key": session.name])
    }

    /// What went wrong, as a page.
    func page(_ error: ConsoleError, session: ConsoleSession?, troubles: Markup = .empty) -> Response {
        let user = session?.user
        let body = self["error"].render([
            "title": error.title, "message": error.message, "troubles": troubles,
            "address": Field(String((user.map(ConsoleAddress.user) ?? "/console").dropFirst())),
            "place": user == nil ? "To the overview" : "To the user's page",
        ])
        var response = page(error.title, status: error.status, session: session, body)
        response.headers += error.headers
        return response
    }
}
