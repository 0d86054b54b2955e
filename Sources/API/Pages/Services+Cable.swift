import Crypto
import Domain
import Ledger
import Pages
import Support

extension Services {
    /// `GET /cable`: the connection that `<turbo-cable-stream-source>` opens. Rails gives the same answer to a request that
    /// is not a WebSocket, or that comes from a page of a refused origin.
    func cable(_ request: Request) -> Answer {
        guard request.isWebSocket, authorization.origins.judge(request) != .refused else {
            return .respond(Services.noCable)
        }
        return .openCable
    }

    private static let noCable = Response.error(
        404,
        code: "not_found",
        message: "A WebSocket of an allowed origin is served here."
    )

    /// The answer to a cable's command `subscribe`: whether the client may follow the stream, and from where. A forged name
    /// is rejected. Loading the page again cures an expired one, so the client is told to, until it is clear that this
    /// brings no new name.
    func verdict(on parameters: CableParameters, history: CableHistory?) -> CableVerdict {
        do throws(StreamNameError) {
            let name = try authorization.stream(named: parameters.signedStreamName, now: clock.now())
            let place = history?.place(in: name.stream.text)
            let start = start(at: [place, parameters.since], since: history?.since)
            return .open(follow(name, since: start, isCounted: place != nil))
        } catch {
            if error == .expired {
                return endedNames.mayReload(parameters.signedStreamName) ? .expired : .rejected
            }
            refuse(name: parameters.signedStreamName)
            return .rejected
        }
    }

    /// The position that a client of the extended protocol saw last wins over the cursor with which its page was
    /// rendered.
    private func start(at places: [String?], since seconds: Int64?) -> MissedSince {
        if let cursor = best(of: places) { return .cursor(cursor) }
        guard let seconds else { return .nothing }
        return .time(Instant(milliseconds: min(max(0, seconds), 1 << 40) * 1000))
    }
}
