import APIModel
import Domain
import Encoding
import HTTP
import Pages
import Support
import Synchronization

@testable import Console

/// A console whose API answers what a test says.
final class ConsoleTestSite: Sendable {
    let console: Console
    let keys: SharedValue<[AccessKey]>
    let api = ScriptedAPI()
    private let spent: Spent

    static let support = AccessKey(
        name: "support",
        rights: [.read, .act],
        secret: Secret("0123456789abcdef0123456789abcdef")
    )
    static let everything = AccessKey(Secret("fedcba9876543210fedcba9876543210"))

    /// `other` is a node that shares the ledger.
    init(
        keys: [AccessKey] = [support],
        isDevelopment: Bool = false,
        isSecure: Bool = true,
        besides other: ConsoleTestSite? = nil
    ) {
        spent = other?.spent ?? Spent()
        let keys = SharedValue(keys)
        self.keys = keys
        let now = Now()
        self.now = now
        var settings = ConsoleSettings(
            keys: { keys.value },
            now: { now.instant.withLock { $0 } },
            spend: { [spent] id in spent.ids.withLock { $0.insert(id).inserted } },
            isSpent: { [spent] id in spent.ids.withLock { $0.contains(id) } }
        )
        (settings.isDevelopment, settings.isSecure) = (isDevelopment, isSecure)
        settings.facts = { [("Transfers", "transfer")] }
        console = Console(settings, api: api)
    }

    private let now: Now

    /// The clock: 3 December 2025, 12:00 UTC at first.
    private final class Now: Sendable {
        let instant = Mutex(Instant(milliseconds: 1_764_763_200_000))
    }

    private final class Spent: Sendable {
        let ids = Mutex<Set<String>>([])
    }

    deinit {
        console.close()
    }

    func pass(_ duration: Duration) {
        now.instant.withLock { $0 = $0 + duration }
    }

    /// Sends a request and waits for the answer. `form` makes it a POST.
    func send(
        _ target: String,
        method: String? = nil,
        form: [(String, String)]? = nil,
        headers: [String] = ["Sec-Fetch-Site: same-origin"],
        cookie: String? = nil,
        client: String = "192.0.2.1",
        host: String = "pay.example"
    ) throws -> Response {
        let body = form.map { pairs in
            Array(pairs.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&").utf8)
        }
        let method = method ?? (form == nil ? "GET" : "POST")
        let lines = headers + (cookie.map { ["Cookie: \($0)"] } ?? [])
        let text = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n" + lines.map { "\($0)\r\n" }.joined() + "\r\n"
        let request = Request(
            route: .console,
            head: try RequestHead(parsing: Array(text.utf8)[...]),
            body: body ?? [],
            host: "pay.example",
            scheme: nil,
            isLocal: false,
            client: IPAddress(client),
            receivedAt: 0
        )
        switch console.answer(request) {
        case .respond(let response): return response
        case .later(let start):
            let answer = Promise<Response>()
            guard start(Reply { answer.fulfil($0) }) else { return .busy }
            return answer.wait()
        case .broadcast, .open, .openCable: return .notFound
        }
    }

    /// What the API answers to a backend that asks for a link.
    func link(to user: UserID, key: AccessKey = support) throws -> Response {
        let text = "POST / HTTP/1.1\r\nHost: pay.example\r\nAuthorization: Bearer \(key.secret.value)\r\n\r\n"
        let request = Request(
            route: .userConsole(user: user),
            head: try RequestHead(parsing: Array(text.utf8)[...]),
            body: [],
            host: "pay.example",
            scheme: .https,
            isLocal: false,
            receivedAt: 0
        )
        guard case .respond(let response) = console.link(to: user, for: request) else { return .busy }
        return response
    }

    /// Logs in, and returns the cookie as a browser sends it.
    func logIn(_ key: AccessKey = support, client: String = "192.0.2.1") throws -> String? {
        try send("/console/session", form: [("key", key.secret.value)], client: client).cookie
    }
}

/// Answers routes with fixed bodies, and remembers what it was asked.
final class ScriptedAPI: RequestHandler {
    struct Question: Sendable {
        let method: String
        let route: Route
        let query: Query
        let body: [UInt8]
        let credentials: String?
        let key: String?
    }

    private let answers = Mutex<[@Sendable (Request) -> Response?]>([])
    private let asked = Mutex<[Question]>([])

    var questions: [Question] { asked.withLock { $0 } }

    /// The newest answer to a route wins.
    func answer(_ route: Route, method: String = "GET", status: Int = 200, with body: some Encodable & Sendable) {
        let response = JSON.response(status, body: body)
        answers.withLock { answers in
            answers.insert({ $0.route == route && $0.method == method ? response : nil }, at: 0)
        }
    }

    func handle(_ request: Request) -> Answer {
        asked.withLock { asked in
            asked.append(
                Question(
                    method: request.method,
                    route: request.route,
                    query: request.query,
                    body: request.body,
                    credentials: request.authorization,
                    key: request.idempotencyKey
                )
            )
        }
        return .respond(answers.withLock { $0 }.lazy.compactMap { $0(request) }.first ?? .notFound)
    }

    func subscribe(_ parameters: CableParameters, history: CableHistory?) -> CableVerdict { .rejected }
}

extension Response {
    var text: String { String(decoding: body, as: UTF8.self) }

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// What a browser keeps of it and sends back.
    var cookie: String? { header("Set-Cookie")?.split(separator: ";").first.map(String.init) }
}
