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

    /// The same for several streams over one connection, each of them once. What it missed of all of them comes in the ledger's
    /// order.
    func follow(
        _ names: [SignedName],
        since start: MissedSince,
        isCounted: Bool,
        source: SourceElement
    ) -> PageRequest {
        let members = names.map(\.stream)
        let union = StreamName.union(of: members)
        return PageRequest(
            stream: union,
            members: members,
            expires: names.compactMap(\.expires).min(),
            source: source,
            refreshes: refreshes(start, isCounted: isCounted),
            seen: start
        ) { [reader, templates, telemetry] done in
            reader.missed(on: members, of: union, since: start) { result in
                guard case .success(let missed) = result else { return done(.unreadable) }
                if missed.contains(where: { $0.needsRefresh || $0.lost != nil }) { telemetry.healed.add() }
                let batches = zip(members, missed).map { stream, missed in
                    CatchUpBatch(missed, on: stream, renderer: templates.renderer)
                }
                done(CatchUpBatch(of: union, members: batches))
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

    /// The oldest of the cursors with which a page was rendered: it may have asked for each stream apart. One that is not this
    /// ledger's comes before all.
    func oldest(of texts: [String]) -> String? {
        guard texts.count > 1 else { return texts.first }
        return texts.min { left, right in
            let (left, right) = (Cursor(left), Cursor(right))
            let isOurs = (left?.epoch == epoch, right?.epoch == epoch)
            return isOurs == (true, true) ? (left?.position ?? 0) < (right?.position ?? 0) : !isOurs.0 && isOurs.1
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

    /// `members` were read at one moment.
    init(of union: StreamName, members: [CatchUpBatch]) {
        self.init(
            through: members.map(\.through).min() ?? 0,
            messages: members.flatMap(\.messages).joined(on: union),
            hasGap: members.contains(where: \.hasGap)
        )
    }

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
