internal import Crypto
internal import Domain
internal import Fragments
internal import Hub
internal import Ledger
internal import Runtime

/// `GET /streams?name=SIGNED[&since=CURSOR]`: what `<turbo-stream-source src>` opens.
struct StreamsEndpoint {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    func answer(_ request: Request) -> Answer {
        let origin: String?
        switch services.access.judge(request) {
        case .same: origin = nil
        case .allowed(let allowed): origin = allowed
        case .refused:
            return .respond(
                .error(
                    403,
                    "origin_not_allowed",
                    "Pages of this origin may not subscribe; see PAYCAST_ALLOWED_ORIGINS."
                )
            )
        }
        do throws(StreamNameError) {
            let stream = try services.access.stream(named: request.query["name"] ?? "", now: services.clock.now())
            return .open(page(on: stream, since: cursor(request), allowedOrigin: origin))
        } catch {
            return refuse(error, request, origin)
        }
    }

    /// A forged name is refused. An expired one is cured by loading the page again, so the page is told to.
    private func refuse(_ error: StreamNameError, _ request: Request, _ origin: String?) -> Answer {
        guard error == .expired else {
            return .respond(.error(403, "forged_stream_name", "The name is not signed with a key of this server."))
        }
        guard !request.isWebSocket else {
            return .respond(.error(403, "expired_stream_name", "The name has expired; load the page again."))
        }
        services.telemetry.healed.add()
        return .respond(EventStream.refresh(allowedOrigin: origin))
    }

    /// The larger of both positions of this ledger; a cursor of another one only when there is no better.
    private func cursor(_ request: Request) -> Cursor? {
        let given = [request.query["since"], request.lastEventID]
            .compactMap { $0 }.filter { !$0.isEmpty }
            .map { Cursor($0) ?? Cursor(epoch: "", position: 0) }
        let ours = given.filter { $0.epoch == services.epoch }
        return ours.max { $0.position < $1.position } ?? given.first
    }

    private func page(on stream: StreamName, since: Cursor?, allowedOrigin: String?) -> PageRequest {
        let (reader, templates, telemetry) = (services.reader, services.templates, services.telemetry)
        return PageRequest(stream: stream, content: .fragments, allowedOrigin: allowedOrigin) { done in
            reader.replay(stream, since: since) { result in
                guard case .success(let replay) = result else { return done(.unreadable) }
                if replay.needsRefresh { telemetry.healed.add() }
                done(PageReplay(replay, on: stream, templates.renderer))
            }
        }
    }
}

extension Replay {
    /// What was missed cannot be told any more.
    var needsRefresh: Bool { isTruncated || (isUnknownCursor && items.isEmpty) }
}

extension PageReplay {
    static let unreadable = PageReplay(through: 0, messages: [], extent: .unreadable)

    /// Renders what was missed with today's templates; what cannot be told any more is healed by a refresh.
    init(_ replay: Replay, on stream: StreamName, _ renderer: Renderer) {
        var messages = replay.items.map {
            Message(position: $0.position, fragments: $0.fragments, on: stream, renderer)
        }
        if replay.needsRefresh {
            let part = Part(html: Renderer.refresh, collapseKey: nil)
            messages.append(Message(stream: stream, position: replay.through.position, parts: [part]))
        }
        self.init(through: replay.through.position, messages: messages)
    }
}
