import Domain
import HTTP
import Pages
import Support

/// Where a key is pasted: in the place of every page that somebody without a session asks for.
struct LogInPage {
    let templates: ConsoleTemplates

    /// `next` is the page that was asked for.
    func show(_ request: Request) -> Response {
        let isLost = request.query["entered"] != nil
        let note = isLost ? templates["log_in.lost"].render() : .empty
        return page(status: 401, note: note, next: LogInPage.address(of: request))
    }

    func logIn(_ request: Request, door: ConsoleDoor) throws(ConsoleError) -> Response {
        let form = try request.form()
        let next = LogInPage.next(form)
        let key = form["key"].flatMap { door.key(trimmed($0)) }
        if let refusal = door.refusal(of: request, isRight: key != nil) { throw refusal }
        guard let key else {
            return page(status: 403, note: templates["log_in.wrong"].render(), next: next)
        }
        return door.open(with: key, next: LogInPage.entered(next))
    }

    private func page(status: Int, note: Markup, next: String) -> Response {
        let body = templates["log_in"].render(["note": note, "next": Field(next)])
        return templates.page("Log in", status: status, session: nil, body)
    }

    /// The address that a form or a link leads to afterwards: always a page of the console.
    static func next(_ query: Query) -> String {
        guard let next = query["next"], isPage(next) else { return "/console" }
        return next
    }

    /// Whether a page of the console is there, as this server reads the address and as a browser does: with dots, a backslash
    /// or another host it could lead elsewhere.
    private static func isPage(_ address: String) -> Bool {
        guard address.utf8.starts(with: "/console".utf8),
            address.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "\\") }),
            let head = try? RequestHead(parsing: Array("GET \(address) HTTP/1.1\r\nHost: console\r\n\r\n".utf8)[...]),
            case .page(.some, _)? = ConsoleRoute(head)
        else { return false }
        return true
    }

    /// A browser that kept no cookie comes back with this mark, and is told why.
    static func entered(_ next: String) -> String {
        next.contains("entered=1") ? next : next + (next.contains("?") ? "&" : "?") + "entered=1"
    }

    private static func address(of request: Request) -> String {
        let isSeen = request.method == "GET" || request.method == "HEAD"
        return isSeen && isPage(request.head.target) ? request.head.target : "/console"
    }
}

extension Request {
    func form() throws(ConsoleError) -> Query {
        guard let form = Query(form: body) else {
            throw .invalid("The form could not be read. Go back, and send it again.")
        }
        return form
    }
}
