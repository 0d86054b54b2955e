import Crypto
import Domain
import Ledger
import Pages
import Support

/// `GET /cable`: the connection that `<turbo-cable-stream-source>` opens.
struct CableEndpoint {
    let services: Services

    /// Rails gives the same answer to a request that is not a WebSocket, or that comes from a page of a refused origin.
    static let pageNotFound = Response.error(
        404,
        code: "not_found",
        message: "A WebSocket of an allowed origin is served here."
    )

    func answer(_ request: Request) -> Answer {
        guard request.isWebSocket else { return .respond(CableEndpoint.pageNotFound) }
        switch services.authorization.origins.judge(request) {
        case .same, .allowed: return .openCable(CableOpening(host: request.host, sid: request.sessionID))
        case .refused: return .respond(CableEndpoint.pageNotFound)
        }
    }
}

/// The answer to a cable's command `subscribe`: whether the client may follow the stream, and from where.
extension CableEndpoint {
    /// A forged name is rejected. Loading the page again cures an expired one, so the client is told to, until it is
    /// clear that this brings no new name.
    func verdict(on request: CableRequest) -> CableVerdict {
        do throws(StreamNameError) {
            let token = request.parameters.signedStreamName
            let name = try services.authorization.stream(named: token, now: services.clock.now())
            let place = request.history?.place(in: name.stream.text).map { "\($0.epoch)-\($0.offset)" }
            let start = start(of: request, at: place)
            return .open(StreamCatchUp(services: services).follow(name, since: start, isCounted: place != nil))
        } catch {
            if error == .expired {
                return services.endedNames.mayReload(request.parameters.signedStreamName) ? .expired : .rejected
            }
            services.refusals.name(hasKey: services.authorization.canSign)
            return .rejected
        }
    }

    /// The position that a client of the extended protocol saw last wins over the cursor with which its page was
    /// rendered.
    private func start(of request: CableRequest, at place: String?) -> MissedSince {
        if let cursor = StreamCatchUp(services: services).best(of: [place, request.parameters.since]) {
            return .cursor(cursor)
        }
        guard let seconds = request.history?.since else { return .nothing }
        return .time(Instant(milliseconds: min(max(0, seconds), 1 << 40) * 1000))
    }
}
