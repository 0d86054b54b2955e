internal import Crypto
internal import HTTP
internal import Ledger
internal import Pages
internal import Support

/// `GET /streams?name=SIGNED[&since=CURSOR]`: the connection that `<turbo-stream-source src>` opens.
struct StreamsEndpoint {
    let services: Services
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
}
