import Crypto
import Domain
import Encoding
import HTTP
import Pages
import Support

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

    /// Does not wait: whoever can, asks `hasEnded` as well.
    func session(of request: Request) -> ConsoleSession? {
        guard let text = cookie.value(in: request.cookies),
            let (token, key) = ConsoleToken.open(text, for: .session, keys: keys, now: settings.now()),
            !state.withLock({ $0.ended.contains(token) })
        else { return nil }
        return ConsoleSession(token: token, key: key)
    }

    /// Whether a session was ended, on whatever node. Waits for the ledger; without its answer, this node's memory counts.
    func hasEnded(_ token: ConsoleToken) -> Bool {
        if state.withLock({ $0.ended.contains(token) }) { return true }
        guard settings.isSpent(token.id) == true else { return false }
        let now = settings.now()
        state.withLock { $0.ended.insert(token, now: now) }
        return true
    }

    /// Counts a try; nil if it may be made.
    func refusal(of request: Request, isRight: Bool) -> ConsoleError? {
        let now = settings.now()
        return state.withLock { $0.tries.admit(request.client, isRight: isRight, now: now) }
            .map { .tooManyTries(seconds: $0) }
    }

    /// The key that somebody has pasted. Compares it with every key, in constant time.
    func key(_ text: String) -> AccessKey? {
        let given = Array(text.utf8)
        return keys.reduce(nil) { constantTimeCompare(Array($1.secret.value.utf8), with: given) ? $1 : $0 }
    }

    /// The one that a request to the API presents.
    func key(ofBearer credentials: ArraySlice<UInt8>?) -> AccessKey? {
        guard let word = credentials?.split(separator: 32, maxSplits: 1).last else { return nil }
        return key(String(decoding: word, as: UTF8.self))
    }

    /// A new session each time, so that nobody can know its id before. Sends the browser to `next`.
    func open(with key: AccessKey, user: UserID? = nil, next: String) -> Response {
        let expiry = settings.now() + .seconds(ConsoleToken.Purpose.session.seconds)
        let token = ConsoleToken(keyName: key.name, expiry: expiry, user: user)
        let value = token.sealed(with: key.secret, for: .session)
        return Response(status: 303, headers: [("Location", next), cookie.set(value)])
    }

    /// A link to one user's page, for whoever the backend gives it to.
    func link(to user: UserID, with key: AccessKey) -> String {
        let expiry = settings.now() + .seconds(ConsoleToken.Purpose.link.seconds)
        let token = ConsoleToken(keyName: key.name, expiry: expiry, user: user)
        return "/console/enter?token=" + token.sealed(with: key.secret, for: .link)
    }

    /// Where a link leads; nil for one that is forged or too old.
    func user(of link: String) -> UserID? {
        ConsoleToken.open(link, for: .link, keys: keys, now: settings.now())?.token.user
    }

    /// Uses a link up. The session that it opens reads, and sees its user alone.
    func enter(by link: String) throws(ConsoleError) -> Response {
        guard let (token, key) = ConsoleToken.open(link, for: .link, keys: keys, now: settings.now()),
            let user = token.user
        else { throw .forbidden(ConsoleDoor.deadLink) }
        guard let isFirst = settings.spend(token.id) else {
            throw .unavailable("The server could not write down that the link was used. Try again.")
        }
        guard isFirst else { throw .forbidden(ConsoleDoor.deadLink) }
        return open(with: key, user: user, next: LogInPage.entered(ConsoleAddress.user(user)))
    }

    static let deadLink = "A link works once, and for a minute. Go back to where you found it, and take a new one."

    func end(_ session: ConsoleSession?) -> Response {
        let now = settings.now()
        if let token = session?.token {
            state.withLock { $0.ended.insert(token, now: now) }
            // For the other nodes, and for this one after a restart.
            _ = settings.spend(token.id)
        }
        return Response(status: 303, headers: [("Location", "/console"), cookie.clear])
    }
}

extension Request {
    /// Whether a browser sends it from a page of this console. A browser says so itself, and a page cannot change it; an old
    /// one at least names the page's origin. Whatever says neither is no browser that has our cookie.
    var isOfSameOrigin: Bool {
        if let fetchSite { return fetchSite == "same-origin" }
        return origin != nil && OriginCheck(allowed: .only([])).judge(self) == .same
    }
}

/// How often somebody may try to open the door, in each minute: by network, and with wrong keys in all.
struct TryLimit: Sendable {
    static let byAddress = 5
    static let inAll = 60
    /// How many networks are remembered.
    private static let memory = 1000

    private var minute: Int64 = 0
    private var total = 0
    private var tries: [IPAddress?: Int] = [:]

    /// Counts a try. Nil if it may be made; otherwise the seconds to wait. A right key counts for its network as well: who
    /// guesses could otherwise begin again with a key of their own. It is not held up by what strangers try elsewhere.
    mutating func admit(_ address: IPAddress?, isRight: Bool, now: Instant) -> Int64? {
        let network = address?.network
        let current = now.seconds / 60
        if current != minute { (minute, total, tries) = (current, 0, [:]) }
        guard isRight || total < TryLimit.inAll, tries[network, default: 0] < TryLimit.byAddress,
            tries.count < TryLimit.memory
        else { return 60 - now.seconds % 60 }
        if !isRight { total += 1 }
        tries[network, default: 0] += 1
        return nil
    }
}
