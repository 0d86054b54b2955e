import APIModel
import Crypto
import Domain
import HTTP
import Pages
import Support
import Synchronization

extension Services {
    /// `GET /streams?name=SIGNED[&since=CURSOR]`: the connection that `<turbo-stream-source src>` opens.
    func stream(_ request: Request) throws(RefusedBody) -> Answer {
        let origin: String?
        switch authorization.origins.judge(request) {
        case .same: origin = nil
        case .allowed(let allowed): origin = allowed
        case .refused:
            let message = "Pages of this origin may not subscribe; see PAYCAST_ALLOWED_ORIGINS."
            throw RefusedBody("origin_not_allowed", message: message, status: 403)
        }
        let token = request.query["name"] ?? ""
        do throws(StreamNameError) {
            let name = try authorization.stream(named: token, now: clock.now())
            let counted = request.lastEventID.flatMap { $0.isEmpty ? nil : $0 }
            var page = follow(
                name,
                since: MissedSince(best(of: [request.query["since"], counted])),
                isCounted: counted != nil,
                source: SourceElement(signedName: token, host: request.host)
            )
            page.allowedOrigin = origin
            // An event stream reconnects by itself, so its element only needs to learn that the name has expired.
            if !request.isWebSocket && name.expires == nil { page.source = nil }
            return .open(page)
        } catch {
            return try refuse(error, request: request, origin: origin)
        }
    }

    /// Refuses a forged name. Loading the page again cures an expired one, so the page is told to reload until it is
    /// clear that this brings no new name. From then on its element stays as it is: an event stream may ask again.
    private func refuse(_ error: StreamNameError, request: Request, origin: String?) throws(RefusedBody) -> Answer {
        guard error == .expired else {
            refuse(name: request.query["name"] ?? "")
            let message = "The name is not signed with a key of this server."
            throw RefusedBody("forged_stream_name", message: message, status: 403)
        }
        let token = request.query["name"] ?? ""
        guard endedNames.mayReload(token) else {
            return .respond(request.isWebSocket ? Services.expiredName : EventStream.wait(allowedOrigin: origin))
        }
        telemetry.healed.add()
        let source = SourceElement(signedName: token, host: request.host)
        guard request.isWebSocket else { return .respond(EventStream.expired(source, allowedOrigin: origin)) }
        return .open(.expired(source, now: clock.now()))
    }

    private static let expiredName = Response.error(
        403,
        code: "expired_stream_name",
        message: "The name has expired, and loading the page again has brought the same one: render it anew."
    )
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
