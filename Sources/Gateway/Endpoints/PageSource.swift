internal import Crypto
internal import Domain
internal import Fragments
internal import Hub
internal import Ledger

/// From a verified name to the page that follows its stream, with what it missed.
struct PageSource {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    /// `token` and `host` are how the page named the stream and reached us.
    func follow(_ name: SignedName, since: Cursor?, token: String, host: String) -> PageRequest {
        follow(name, since.map { .cursor($0) } ?? .nothing, SourceElement(signedName: token, host: host))
    }

    func follow(_ name: SignedName, _ start: ReplayStart, _ source: SourceElement? = nil) -> PageRequest {
        let (reader, templates, stream) = (services.reader, services.templates, name.stream)
        return PageRequest(stream: stream, content: .fragments, expires: name.expires, source: source) { done in
            reader.replay(stream, since: start) { result in
                guard case .success(let replay) = result else { return done(.unreadable) }
                done(PageReplay(replay, on: stream, templates.renderer))
            }
        }
    }

    /// The largest position of this ledger; a cursor of another one only when there is no better. A text that is no
    /// cursor is one of another ledger.
    func best(of texts: [String?]) -> Cursor? {
        let given = texts.compactMap { $0 }.filter { !$0.isEmpty }
            .map { Cursor($0) ?? Cursor(epoch: "", position: 0) }
        let ours = given.filter { $0.epoch == services.epoch }
        return ours.max { $0.position < $1.position } ?? given.first
    }
}

extension PageRequest {
    /// A WebSocket that is told to load its page again, and gets nothing of the stream whose name has ended.
    static func expired(_ source: SourceElement, now: Instant) -> PageRequest {
        PageRequest(stream: .feed("expired"), content: .fragments, expires: now, source: source) { done in
            done(PageReplay(through: 0, messages: []))
            return true
        }
    }
}

extension PageReplay {
    static let unreadable = PageReplay(through: 0, messages: [], extent: .unreadable)

    /// Renders what was missed with today's templates; what cannot be told any more is healed by a refresh.
    init(_ replay: Replay, on stream: StreamName, _ renderer: Renderer) {
        var messages = replay.items.map {
            Message(position: $0.position, fragments: $0.fragments, on: stream, renderer)
        }
        if replay.isTruncated || (replay.isUnknownCursor && messages.isEmpty) {
            let part = Part(html: Renderer.refresh, collapseKey: nil)
            messages.append(Message(stream: stream, position: replay.through.position, parts: [part]))
        }
        self.init(
            through: replay.through.position,
            messages: messages,
            hasGap: replay.isTruncated || replay.isUnknownCursor
        )
    }
}
