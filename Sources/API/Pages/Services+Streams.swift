import APIModel
import Crypto
import Domain
import HTTP
import Pages
import Support
import Synchronization

extension Services {
    /// `GET /streams?name=SIGNED[&name=…][&since=CURSOR]`: the connection that `<turbo-stream-source src>` opens.
    func stream(_ request: Request) throws(RefusedBody) -> Answer {
        let origin: String?
        switch authorization.origins.judge(request) {
        case .same: origin = nil
        case .allowed(let allowed): origin = allowed
        case .refused:
            let message = "Pages of this origin may not subscribe; see PAYCAST_ALLOWED_ORIGINS."
            throw RefusedBody("origin_not_allowed", message: message, status: 403)
        }
        let tokens = try StreamTokens(request.query.all("name"))
        var names: [SignedName] = []
        var flaws: [(index: Int, error: StreamNameError)] = []
        for (index, token) in tokens.all.enumerated() {
            do throws(StreamNameError) { try names.add(stream(named: token)) } catch { flaws.append((index, error)) }
        }
        if let flaw = StreamTokens.gravest(of: flaws) {
            return try refuse(flaw.error, of: tokens, at: flaw.index, request: request, origin: origin)
        }
        let counted = request.lastEventID.flatMap { $0.isEmpty ? nil : $0 }
        let start = MissedSince(best(of: [oldest(of: request.query.all("since")), counted]))
        let source = tokens.source(at: request.host)
        var page =
            names.count == 1
            ? follow(names[0], since: start, isCounted: counted != nil, source: source)
            : follow(names, since: start, isCounted: counted != nil, source: source)
        page.allowedOrigin = origin
        // An event stream reconnects by itself, so its element only needs to learn that the name has expired.
        if !request.isWebSocket && page.expires == nil { page.source = nil }
        return .open(page)
    }

    /// Refuses a forged name. Loading the page again cures an expired one, so the page is told to reload until it is
    /// clear that this brings no new name. From then on its element stays as it is: an event stream may ask again.
    private func refuse(
        _ error: StreamNameError,
        of tokens: StreamTokens,
        at index: Int,
        request: Request,
        origin: String?
    ) throws(RefusedBody) -> Answer {
        guard error == .expired else { throw tokens.refusal(error, at: index) }
        guard endedNames.mayReload(tokens.all[index]) else {
            if request.isWebSocket { throw tokens.refusal(error, at: index) }
            return .respond(EventStream.wait(allowedOrigin: origin))
        }
        telemetry.healed.add()
        let source = tokens.source(at: request.host)
        guard request.isWebSocket else { return .respond(EventStream.expired(source, allowedOrigin: origin)) }
        return .open(.expired(source, now: clock.now()))
    }
}

/// The signed names of one connection, in their order and each once: at least one.
struct StreamTokens {
    let all: [String]

    static let limit = 16

    /// Without any, one that nobody has signed.
    init(_ given: [String], limit: Int = StreamTokens.limit) throws(RefusedBody) {
        var all: [String] = []
        for token in given where !all.contains(where: { $0.hasSameBytes(as: token) }) {
            guard all.count < limit else {
                let message =
                    "One connection follows up to \(StreamTokens.limit) streams; open another one for the others."
                throw RefusedBody("too_many_names", message: message)
            }
            all.append(token)
        }
        self.all = all.isEmpty ? [""] : all
    }

    /// What decides about a connection: a refusal before an expiry, which makes the page load again, for that cures only an
    /// expiry. Of several, the first; nil if all names are good.
    static func gravest(
        of flaws: [(index: Int, error: StreamNameError)]
    ) -> (index: Int, error: StreamNameError)? {
        flaws.first { $0.error != .expired } ?? flaws.first
    }

    func source(at host: String) -> SourceElement {
        SourceElement(signedName: all[0], others: Array(all.dropFirst()), host: host)
    }

    /// Which of several names, counted from 1.
    private func title(at index: Int) -> String { all.count == 1 ? "The name" : "Name \(index + 1) of \(all.count)" }

    func refusal(_ error: StreamNameError, at index: Int) -> RefusedBody {
        let title = title(at: index)
        switch error {
        case .expired:
            let message = "\(title) has expired, and loading the page again has brought the same one: render it anew."
            return RefusedBody("expired_stream_name", message: message, status: 403)
        case .ended: return RefusedBody.endedName(title)
        case .forged, .notAName:
            let message = "\(title) is not signed with a key of this server."
            return RefusedBody("forged_stream_name", message: message, status: 403)
        }
    }
}

extension [SignedName] {
    /// Two names of one stream are one, which ends with the first of them.
    fileprivate mutating func add(_ name: SignedName) {
        guard let known = firstIndex(where: { $0.stream == name.stream }) else { return append(name) }
        self[known].expires = [self[known].expires, name.expires].compactMap(\.self).min()
    }
}

/// Limits how often pages with an expired name are told to reload. Any thread may ask.
///
/// A freshly rendered page brings a fresh name, but a cached page brings the same one and would reload forever. So each
/// name gets three reloads at once, for the tabs that share it, then one after a minute, one after two more, after
/// four, and in the end one a day. Kept in memory, and bounded: only names that we signed count.
final class ExpiredNameThrottle: Sendable {
    private struct Told {
        var times = 0
        var notBefore: MonotonicTime = 0
    }

    static let atOnce = 3
    private static let minute: UInt64 = 60_000_000_000
    private static let longest = 1440 * minute

    private let told = Mutex(BoundedCache<String, Told>(capacity: 20_000))

    /// Whether to tell the page with this genuine token to reload; a yes is counted.
    func mayReload(_ token: String, now: MonotonicTime = monotonicNanoseconds()) -> Bool {
        // The last 64 characters are the signature.
        let key = String(decoding: token.utf8.suffix(64), as: UTF8.self)
        return told.withLock { told in
            var page = told[key] ?? Told()
            guard now >= page.notBefore else { return false }
            page.times += 1
            if page.times >= ExpiredNameThrottle.atOnce {
                let pause = ExpiredNameThrottle.minute << UInt64(min(page.times - ExpiredNameThrottle.atOnce, 11))
                page.notBefore = now + min(pause, ExpiredNameThrottle.longest)
            }
            told[key] = page
            return true
        }
    }
}
