import API
import APIModel
public import Domain
import Encoding
import HTTP
public import Pages
import Support

/// The operators' pages at `/console`: a client of the API in the same process. It knows no ledger and no store.
public final class Console: Sendable {
    private let settings: ConsoleSettings
    private let handler: any RequestHandler
    private let door: ConsoleDoor
    private let templates: ConsoleTemplates
    private let live: LiveLists
    private let files = Console.files()
    private let lanes = ConsoleLanes()

    /// `handler` has the API's routes.
    public init(_ settings: ConsoleSettings, api handler: any RequestHandler) {
        self.settings = settings
        self.handler = handler
        door = ConsoleDoor(settings)
        do throws(ConsoleTemplateError) {
            // Those of the program itself, which its tests have read.
            templates = try ConsoleTemplates(files: Assets.console)
        } catch {
            preconditionFailure("public/console: \(error)")
        }
        live = LiveLists(settings, templates, hasEnded: door.hasEnded)
    }

    /// Whether somebody may come in.
    public var isThere: Bool { door.isThere }

    /// Called on a loop's thread: files are there at once, pages are made on the console's own threads.
    public func answer(_ request: Request) -> Answer {
        guard door.isThere else { return .respond(.notFound) }
        let route = ConsoleRoute(request.head)
        if case .asset(let name) = route { return .respond(files[name] ?? ConsoleHeaders.added(to: .notFound)) }
        if case .page(is LiveStreamPage, _) = route, let answer = stream(request) { return answer }
        guard request.body.count <= Console.bodyLimit else {
            return .respond(ConsoleHeaders.added(to: templates.page(Console.tooLong, session: nil)))
        }
        let lane = lanes.lane(of: route, isChange: request.method == "POST", isKnown: door.session(of: request) != nil)
        return .later { [self] reply in
            lane.submit { reply.send(ConsoleHeaders.added(to: self.response(to: request, route))) }
        }
    }

    /// `POST /users/{user}/console`, whose key has the right to read.
    public func link(to user: UserID, for request: Request) -> Answer {
        guard door.isThere else { return .respond(.notFound) }
        guard isValidIdentifier(user.text) else { return .respond(RefusedBody.invalidUser.response) }
        guard let key = door.key(ofBearer: request.credentials) else { return .respond(Console.namelessKey) }
        let scheme = request.scheme ?? (settings.isSecure ? .https : .http)
        let base = settings.ownAddress ?? "\(scheme)://\(AddressText.host(request.host))"
        return .respond(JSON.response(201, body: ConsoleLinkAnswer(url: base + door.link(to: user, with: key))))
    }

    /// A form has a reason and a few fields.
    private static let bodyLimit = 16 << 10
    private static let tooLong = ConsoleError.invalid("The form is too long. Go back, and write less.")
    private static let namelessKey = Response.error(
        403,
        code: "nameless_key",
        message: "A link to the console needs a key of PAYCAST_KEYS: the console shows the key's name."
    )

    /// Open lists must not keep the rows of a user who was erased.
    public func userWasErased() {
        live.restart()
    }

    /// Finishes the pages that are being made. Call it once.
    public func close() {
        live.close()
        lanes.close()
    }

    /// A live list's page follows its stream; nil if it may not, which `LiveStreamPage` answers.
    private func stream(_ request: Request) -> Answer? {
        let filter = LiveFilter(request.query)
        guard request.method == "GET", filter.refusal == nil, let session = door.session(of: request),
            session.rights.contains(.operate), session.user == nil,
            let since = request.lastEventID.flatMap({ $0.isEmpty ? nil : $0 }) ?? request.query["since"]
        else { return nil }
        let api = ConsoleAPI(handler: handler, session: session)
        let stream = live.open(filter, since: since, by: api)
        // A log-out from now on ends this stream, and one before it is seen here.
        guard door.session(of: request) != nil else { return nil }
        return .open(
            PageRequest(stream: stream, expires: session.token.expiry) {
                [live, lanes, door] done in
                lanes.pages.submit {
                    let mayFollow = !door.hasEnded(session.token)
                    let missed = mayFollow ? try? live.missed(filter, on: stream, since: since, by: api) : nil
                    done(missed ?? CatchUpBatch(through: 0, messages: [], extent: .unreadable))
                }
            }
        )
    }

    private func response(to request: Request, _ route: ConsoleRoute?) -> Response {
        let session = door.session(of: request).flatMap { door.hasEnded($0.token) ? nil : $0 }
        do throws(ConsoleError) {
            guard let route else { throw .notFound("There is no such page.") }
            let isChange = request.method == "POST"
            guard !isChange || request.isOfSameOrigin else {
                throw .forbidden("Only a page of this console may send this. Open the console, and do it there.")
            }
            if let answer = try doorAnswer(to: route, request: request, session: session) { return answer }
            guard let session else { return LogInPage(templates: templates).show(request) }
            guard case .page(let page, let user) = route, let page else { throw .notFound("There is no such page.") }
            return try answer(page, of: user, to: request, session: session)
        } catch {
            guard case .unavailable = error, let session, session.user == nil, session.rights.contains(.operate),
                let found = try? ConsoleAPI(handler: handler, session: session).readiness()
            else { return templates.page(error, session: session, troubles: .empty) }
            return page(error, because: found, session: session)
        }
    }

    /// When nothing answers, because the ledger does not, whoever may know is told what the server itself finds wrong: the cause
    /// first, and once.
    private func page(_ error: ConsoleError, because found: Readiness, session: ConsoleSession) -> Response {
        let cause = found.cause
        let sentences = templates.sentences(problems: cause?.others ?? found.problems, warnings: found.warnings)
        let troubles =
            sentences == .empty ? Markup.empty : templates["error.troubles"].render(["sentences": sentences])
        return templates.page(cause.map { .unavailable($0.text) } ?? error, session: session, troubles: troubles)
    }

    /// Nil if the route is no part of the door.
    private func doorAnswer(
        to route: ConsoleRoute,
        request: Request,
        session: ConsoleSession?
    ) throws(ConsoleError) -> Response? {
        switch route {
        case .session:
            guard request.method == "POST" else { return Response(status: 303, headers: [("Location", "/console")]) }
            return try LogInPage(templates: templates).logIn(request, door: door)
        case .logOut:
            guard request.method == "POST" else { throw .methodNotAllowed }
            let answer = door.end(session)
            if session != nil { live.restart() }
            return answer
        case .enter:
            return try enter(request)
        default: return nil
        }
    }

    /// Where a link of the backend leads. A program that looks at links before a person does sees this page, and its button
    /// uses the link up.
    private func enter(_ request: Request) throws(ConsoleError) -> Response {
        if request.method == "POST" {
            guard let token = Query(form: request.body)?["token"] else { throw .forbidden(ConsoleDoor.deadLink) }
            return try door.enter(by: token)
        }
        if let token = request.query["token"] {
            guard let user = door.user(of: token) else { throw .forbidden(ConsoleDoor.deadLink) }
            let body = templates["enter"].render(["user": user.text, "token": Field(token)])
            return templates.page("Open a user's page", session: nil, body)
        }
        guard settings.isDevelopment, let key = door.keys.first else { throw .notFound("There is no such page.") }
        guard request.isOfThisMachine else { return LogInPage(templates: templates).show(request) }
        return door.open(with: key, next: LogInPage.next(request.query))
    }

    private func answer(
        _ page: any ConsolePage,
        of user: UserID?,
        to request: Request,
        session: ConsoleSession
    ) throws(ConsoleError) -> Response {
        if let own = session.user, own != user {
            throw .forbidden("The link that opened this session is for one user, and this page is another's.")
        }
        let visit = Visit(
            request: request,
            session: session,
            api: ConsoleAPI(handler: handler, session: session),
            templates: templates,
            now: settings.now(),
            facts: settings.facts
        )
        return try request.method == "POST" ? page.act(visit, form: request.form()) : page.show(visit)
    }
}

extension Request {
    /// Not through a tunnel or a proxy, and under a name of this machine: nobody else may come in without a key.
    fileprivate var isOfThisMachine: Bool {
        client?.isLoopback == true && !head.isForwarded && head.host.map { HostName($0).isLoopback } == true
    }
}

/// The threads of the console: few, so that open consoles cannot take the server's time from the pages.
private struct ConsoleLanes: Sendable {
    let pages = WorkerPool(name: "console", threads: 2, capacity: 100)
    /// Whoever has no session, so that a stranger cannot keep operators waiting.
    private let strangers = WorkerPool(name: "console-door", threads: 1, capacity: 50)
    /// One thread, so that of two people who act on the same state the second one is told.
    private let changes = WorkerPool(name: "console-act", threads: 1, capacity: 20)
    /// Recoveries and trials of a replay, which may take minutes and change nothing that was seen.
    private let slow = WorkerPool(name: "console-slow", threads: 1, capacity: 5)

    func lane(of route: ConsoleRoute?, isChange: Bool, isKnown: Bool) -> WorkerPool {
        guard isKnown else { return strangers }
        guard isChange, case .page(let page?, _)? = route else { return pages }
        if page is RefundPage { return changes }
        guard let page = page as? UserActionPage else { return pages }
        return page.action.isSlow ? slow : changes
    }

    func close() {
        for lane in [pages, strangers, changes, slow] { lane.close() }
    }
}

/// What every answer of the console tells the browser.
enum ConsoleHeaders {
    static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        + "form-action 'self'; frame-src 'self'; base-uri 'none'; frame-ancestors 'none'"

    private static let all: [(name: String, value: String)] = [
        ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    /// A page may have a policy of its own that allows less.
    static func added(to response: Response) -> Response {
        var response = response
        response.headers += all
        if !response.headers.contains(where: { $0.name == "Content-Security-Policy" }) {
            response.headers.append(("Content-Security-Policy", policy))
        }
        return response
    }
}

extension Console {
    /// The style sheet and the scripts of the console, at `/console/assets/NAME`. A template is no file for a browser.
    private static func files() -> [String: Response] {
        let types = ["css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"]
        // The look of the demo, and its elements of Turbo, for the live pages.
        let shared = Assets.demo.filter { ["look.css", "turbo.js", "icon.svg"].contains($0.key) }
        return Assets.console.merging(shared) { own, _ in own }.reduce(into: [:]) { found, file in
            guard let type = file.key.split(separator: ".").last.flatMap({ types[String($0)] }) else { return }
            found[file.key] = ConsoleHeaders.added(
                to: Response(status: 200, headers: [("Content-Type", type)], body: file.value)
            )
        }
    }
}

/// Answers `POST /users/{user}/console`.
struct ConsoleLinkAnswer: Codable {
    /// Opens the user's page of the console, once and within 60 seconds.
    var url: String
}

/// What the console is told by the server that it belongs to.
public struct ConsoleSettings: Sendable {
    /// The keys of the API routes, as they are now.
    public var keys: @Sendable () -> [AccessKey]
    public var now: @Sendable () -> Instant
    /// One link opens it, without a key.
    public var isDevelopment = false
    /// Pages reach this server over TLS, without a proxy in between.
    public var isSecure = false
    /// Hands the loops of this node messages that no entry of the ledger holds.
    public var publish: @Sendable ([Message]) -> Void = { _ in }
    /// Whether a page of this node follows a stream.
    public var isFollowed: @Sendable (StreamName) -> Bool = { _ in false }
    /// What the settings are now, without secrets.
    public var facts: @Sendable () -> [(name: String, value: String)] = { [] }

    /// Where the console is if it is not where a request for a link was sent: `https://HOST:PORT`.
    public var ownAddress: String?
    /// Remembers for a day that a link was used, or a session ended, on all nodes. Waits for the ledger. Nil if that gives no
    /// answer, and false for what was remembered before.
    public var spend: @Sendable (_ id: String) -> Bool?
    /// Whether `spend` has remembered it. Waits for the ledger; nil if that gives no answer.
    public var isSpent: @Sendable (_ id: String) -> Bool?

    public init(
        keys: @escaping @Sendable () -> [AccessKey],
        now: @escaping @Sendable () -> Instant,
        spend: @escaping @Sendable (_ id: String) -> Bool?,
        isSpent: @escaping @Sendable (_ id: String) -> Bool?
    ) {
        (self.keys, self.now, self.spend, self.isSpent) = (keys, now, spend, isSpent)
    }
}
