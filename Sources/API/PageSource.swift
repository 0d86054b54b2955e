internal import Crypto
internal import Domain
internal import Gateway
internal import Hub
internal import Ledger
internal import Observability
internal import TurboStreams

/// From a verified name to the page that follows its stream, with what it missed.
struct PageSource {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    /// `isCounted`: the page's client says what arrived last, not its HTML when it was rendered.
    func follow(
        _ name: SignedName,
        since start: MissedSince,
        isCounted: Bool,
        source: SourceElement? = nil
    ) -> PageRequest {
        let (reader, templates, stream) = (services.reader, services.templates, name.stream)
        let telemetry = services.telemetry
        return PageRequest(
            stream: stream,
            content: .fragments,
            expires: name.expires,
            source: source,
            refreshes: refreshes(start, isCounted),
            seen: seen(start)
        ) { done in
            reader.missed(on: stream, since: start) { result in
                guard case .success(let missed) = result else { return done(.unreadable) }
                if missed.needsRefresh || missed.lost != nil { telemetry.healed.add() }
                done(MissedMessages(missed, on: stream, templates.renderer))
            }
        }
    }

    private func refreshes(_ start: MissedSince, _ isCounted: Bool) -> MissedRefreshes {
        switch start {
        case .nothing: .never
        case _ where isCounted: .always
        case .cursor(let cursor): .once(.cursor(cursor))
        case .time(let time): .once(.time(time))
        }
    }

    private func seen(_ start: MissedSince) -> PageRequest.Seen? {
        switch start {
        case .nothing: .nothing
        case .cursor(let cursor) where cursor.epoch == services.epoch: .upTo(cursor.position)
        case .cursor, .time: nil
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
            done(MissedMessages(through: 0, messages: []))
            return true
        }
    }
}

extension MissedFragments {
    /// What was missed cannot be told any more.
    fileprivate var needsRefresh: Bool { isTruncated || (isUnknownCursor && items.isEmpty) }
}

extension MissedMessages {
    static let unreadable = MissedMessages(through: 0, messages: [], extent: .unreadable)

    /// Renders what was missed with today's templates; what cannot be told any more is healed by a refresh.
    init(_ missed: MissedFragments, on stream: StreamName, _ renderer: Renderer) {
        var messages = missed.items.map {
            Message(position: $0.position, fragments: $0.fragments, on: stream, renderer)
        }
        if let lost = missed.lost {
            let place = messages.firstIndex { $0.position ?? 0 > lost } ?? messages.endIndex
            messages.insert(Message(stream: stream, position: lost, parts: [.refresh]), at: place)
        }
        if missed.needsRefresh, missed.newest ?? 0 >= missed.lost ?? 0 {
            // At the position of what it heals, not at the newest of the ledger: where a page was reloaded by it once,
            // another user's purchase must not do so again.
            messages.append(Message(stream: stream, position: missed.newest, parts: [.refresh]))
        }
        self.init(
            through: missed.through.position,
            messages: messages,
            hasGap: missed.isTruncated || missed.isUnknownCursor
        )
    }
}
