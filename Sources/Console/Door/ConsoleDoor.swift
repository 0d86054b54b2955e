internal import Crypto
internal import Domain
internal import Encoding
internal import HTTP
internal import Pages
internal import Support

/// Decides who comes in.
final class ConsoleDoor: Sendable {
    private struct State {
        var tries = TryLimit()
        var ended = EndedSessions()
    }

    private let settings: ConsoleSettings
    private let cookie: SessionCookie
    private let state = Monitor(State())

    init(_ settings: ConsoleSettings) {
        self.settings = settings
        cookie = SessionCookie(isSecure: settings.isSecure || !settings.isDevelopment)
    }

    /// The keys that open it. An action needs a name, which a key of `PAYCAST_API_KEY` has in development alone.
    var keys: [AccessKey] {
        settings.keys().filter { settings.isDevelopment || $0.name != AccessKey.everything }
    }

    /// Without a key there is no console.
    var isThere: Bool { !keys.isEmpty }

    func session(of request: Request) -> ConsoleSession? {
        guard let text = cookie.value(in: request.cookies),
            let (token, key) = ConsoleToken.open(text, for: .session, keys: keys, now: settings.now()),
            !state.withLock({ $0.ended.contains(token) })
        else { return nil }
        return ConsoleSession(token: token, key: key)
    }

    /// Counts a try; nil if it may be made.
    func refusal(of request: Request) -> ConsoleError? {
        let now = settings.now()
        return state.withLock { $0.tries.admit(request.client, now: now) }.map { .tooManyTries(seconds: $0) }
    }

    /// The key that somebody has pasted. Compares it with every key, in constant time.
    func key(_ text: String) -> AccessKey? {
        let given = Array(text.utf8)
        return keys.reduce(nil) { constantTimeCompare(Array($1.secret.value.utf8), with: given) ? $1 : $0 }
    }

    /// A new session each time, so that nobody can know its id before. Sends the browser to `next`.
    func open(with key: AccessKey, user: UserID? = nil, next: String) -> Response {
        let expiry = settings.now() + .seconds(ConsoleSession.seconds)
        let token = ConsoleToken(keyName: key.name, expiry: expiry, user: user)
        let value = token.sealed(with: key.secret, for: .session)
        return Response(status: 303, headers: [("Location", next), cookie.set(value)])
    }

    func end(_ session: ConsoleSession?) -> Response {
        let now = settings.now()
        if let token = session?.token { state.withLock { $0.ended.insert(token, now: now) } }
        return Response(status: 303, headers: [("Location", "/console"), cookie.clear])
    }
}

/// Whether a browser sends a change from a page of this console.
enum SameOriginCheck {
    /// A browser says so itself, and a page cannot change it; an old one at least names the page's origin. Whatever says
    /// neither is no browser that has our cookie.
    static func passes(_ request: Request) -> Bool {
        if let site = request.fetchSite { return site == "same-origin" }
        return request.origin != nil && OriginCheck(allowed: .only([])).judge(request) == .same
    }
}
