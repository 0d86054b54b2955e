import Encoding
import Testing

/// Somebody of the support desk, logged in at the console of the real server.
struct ConsoleVisitor {
    static let key = "support-key-0123456789"
    static let settings = ["PAYCAST_KEYS": "support:all:\(key)"]

    let app: AppPost
    private let cookie: String

    init(_ app: AppPost) throws {
        self.app = app
        cookie = try ConsoleVisitor.enter(app, "/console/session", form: [("key", ConsoleVisitor.key)])
    }

    /// By a link to one user's page, as the app's backend makes it.
    init(_ app: AppPost, linkedTo user: String) throws {
        self.app = app
        let key = [("Authorization", "Bearer \(ConsoleVisitor.key)")]
        let link = try app.post("/users/\(user)/console", body: "", headers: key)
        let token = try #require(link["url"]?.split(separator: "token=").last.map(String.init))
        cookie = try ConsoleVisitor.enter(app, "/console/enter", form: [("token", token)])
    }

    private static func enter(_ app: AppPost, _ path: String, form: [(String, String)]) throws -> String {
        let answer = try send(app, path, form: form, cookie: nil)
        let line = try #require(answer.head.split(separator: "\r\n").first { $0.hasPrefix("Set-Cookie: ") })
        return String(line.dropFirst("Set-Cookie: ".count).prefix { $0 != ";" })
    }

    func get(_ path: String) throws -> AppPost.Answer {
        try app.post(path, body: "", headers: [("Cookie", cookie)], method: "GET")
    }

    func send(_ path: String, _ form: [(String, String)]) throws -> AppPost.Answer {
        try ConsoleVisitor.send(app, path, form: form, cookie: cookie)
    }

    /// What is typed into the search field; a redirect is followed.
    func search(_ name: String) throws -> AppPost.Answer {
        let answer = try send("/console/search", [("q", name)])
        guard let line = answer.head.split(separator: "\r\n").first(where: { $0.hasPrefix("Location: ") }) else {
            return answer
        }
        return try get(String(line.dropFirst("Location: ".count)))
    }

    private static func send(
        _ app: AppPost,
        _ path: String,
        form: [(String, String)],
        cookie: String?
    ) throws -> AppPost.Answer {
        let body = form.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        let headers = [("Sec-Fetch-Site", "same-origin")] + (cookie.map { [("Cookie", $0)] } ?? [])
        return try app.post(path, body: body, headers: headers)
    }
}
