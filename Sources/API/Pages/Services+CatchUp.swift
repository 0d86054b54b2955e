import Crypto
import Domain
import Ledger
import Pages
import Support

extension Services {
    /// Lets a page with a verified name follow its stream: the page catches up from the ledger, then goes live. `isCounted`:
    /// `start` is the position that the page's client received last, not the cursor with which the HTML was rendered.
    func follow(
        _ name: SignedName,
        since start: MissedSince,
        isCounted: Bool,
        source: SourceElement? = nil
    ) -> PageRequest {
        let stream = name.stream
        return PageRequest(
            stream: stream,
            expires: name.expires,
            source: source,
            refreshes: refreshes(start, isCounted: isCounted),
            seen: start
        ) { [reader, templates, telemetry] done in
            reader.missed(on: stream, since: start) { result in
                guard case .success(let missed) = result else { return done(.unreadable) }
                if missed.needsRefresh || missed.lost != nil { telemetry.healed.add() }
                done(CatchUpBatch(missed, on: stream, renderer: templates.renderer))
            }
        }
    }

    private func refreshes(_ start: MissedSince, isCounted: Bool) -> RefreshPolicy {
        switch start {
        case .nothing: .never
        case _ where isCounted: .always
        case .cursor, .time: .once(start)
        }
    }

    /// The newest of the cursors that belong to this ledger. If no cursor does, the first one, so that the page is told
    /// that its ledger is unknown; text that is not a cursor counts as another ledger's.
    func best(of texts: [String?]) -> Cursor? {
        let given = texts.compactMap { $0 }.filter { !$0.isEmpty }
            .map { Cursor($0) ?? Cursor(epoch: "", position: 0) }
        let ours = given.filter { $0.epoch == epoch }
        return ours.max { $0.position < $1.position } ?? given.first
    }
}

extension PageRequest {
    /// A WebSocket that is told to reload its page, and gets nothing from the stream whose name has expired.
    static func expired(_ source: SourceElement, now: Instant) -> PageRequest {
        PageRequest(stream: .feed("expired"), expires: now, source: source) { done in
            done(CatchUpBatch(through: 0, messages: []))
            return true
        }
    }
}

extension CatchUpBatch {
    static let unreadable = CatchUpBatch(through: 0, messages: [], extent: .unreadable)

    /// Renders missed fragments with the current templates. A refresh stands for those that can no longer be sent.
    init(_ missed: MissedFragments, on stream: StreamName, renderer: TemplateRenderer) {
        var messages = missed.items.map {
            Message(position: $0.position, fragments: $0.fragments, on: stream, renderer: renderer)
        }
        if let lost = missed.lost {
            let place = messages.firstIndex { $0.position ?? 0 > lost } ?? messages.endIndex
            messages.insert(Message(stream: stream, position: lost, parts: [.refresh]), at: place)
        }
        if missed.needsRefresh, missed.newest ?? 0 >= missed.lost ?? 0 {
            // The refresh has the position of what it heals, not the ledger's newest position: once it has reloaded a
            // page, another user's purchase must not reload that page again.
            messages.append(Message(stream: stream, position: missed.newest, parts: [.refresh]))
        }
        self.init(
            through: missed.through.position,
            messages: messages,
            hasGap: missed.isTruncated || missed.isUnknownCursor
        )
    }
}
