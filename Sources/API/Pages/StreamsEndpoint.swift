internal import Concurrency
internal import Crypto
internal import Domain
internal import HTTP1
internal import HTTPMessages
internal import LedgerInterface
internal import Observability
internal import Pages

/// `GET /streams?name=SIGNED[&since=CURSOR]`: the connection that `<turbo-stream-source src>` opens.
struct StreamsEndpoint {
    private let services: Services
    private let pages: StreamCatchUp

    init(_ services: Services) {
        self.services = services
        pages = StreamCatchUp(services)
    }

    func answer(_ request: Request) -> Answer {
        let origin: String?
        switch services.authorization.origins.judge(request) {
        case .same: origin = nil
        case .allowed(let allowed): origin = allowed
        case .refused:
            return .respond(
                .error(
                    403,
                    code: "origin_not_allowed",
                    message: "Pages of this origin may not subscribe; see PAYCAST_ALLOWED_ORIGINS."
                )
            )
        }
        let token = request.query["name"] ?? ""
        do throws(StreamNameError) {
            let name = try services.authorization.stream(named: token, now: services.clock.now())
            let counted = request.lastEventID.flatMap { $0.isEmpty ? nil : $0 }
            var page = pages.follow(
                name,
                since: MissedSince(pages.best(of: [request.query["since"], counted])),
                isCounted: counted != nil,
                source: SourceElement(signedName: token, host: request.host)
            )
            page.allowedOrigin = origin
            // An event stream reconnects by itself, so its element only needs to learn that the name has expired.
            if !request.isWebSocket && name.expires == nil { page.source = nil }
            return .open(page)
        } catch {
            return refuse(error, request: request, origin: origin)
        }
    }

    /// Refuses a forged name. Loading the page again cures an expired one, so the page is told to reload until it is
    /// clear that this brings no new name. From then on its element stays as it is: an event stream may ask again.
    private func refuse(_ error: StreamNameError, request: Request, origin: String?) -> Answer {
        guard error == .expired else {
            services.refusals.name(hasKey: services.authorization.canSign)
            return .respond(
                .error(403, code: "forged_stream_name", message: "The name is not signed with a key of this server.")
            )
        }
        let token = request.query["name"] ?? ""
        guard services.endedNames.mayReload(token) else {
            return .respond(request.isWebSocket ? StreamsEndpoint.expired : EventStream.wait(allowedOrigin: origin))
        }
        services.telemetry.healed.add()
        let source = SourceElement(signedName: token, host: request.host)
        guard request.isWebSocket else {
            return .respond(EventStream.expired(source, allowedOrigin: origin))
        }
        return .open(.expired(source, now: services.clock.now()))
    }

    private static let expired = Response.error(
        403,
        code: "expired_stream_name",
        message: "The name has expired, and loading the page again has brought the same one: render it anew."
    )
}
