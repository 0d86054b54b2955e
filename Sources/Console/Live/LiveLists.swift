import API
import APIModel
import Domain
import Pages
import Support
import Synchronization

/// The live lists that are open. One thread asks the API four times a second what is new, once for each filter that
/// somebody follows, and hands the loops one message for all pages with that filter: so the pages of the app pay for a
/// console no more than for one more transient message, whatever is committed.
final class LiveLists: Sendable {
    /// More than this at a time is a counter, which can be read, and not rows, which cannot.
    static let rowLimit = 20
    private static let turn = Duration.milliseconds(250)
    /// Each answers at most 100 events: nobody counts further than a thousand.
    private static let questionLimit = 10
    /// The turns from one look for ended sessions to the next: a second.
    private static let sessionTurns = 4
    /// A list that was just opened is followed in a moment.
    private static let patience = Duration.seconds(10)

    struct List: Sendable {
        var filter: LiveFilter
        /// With the key of whoever opened it last.
        var api: ConsoleAPI
        /// Everything up to here was handed to the pages, or read by them.
        var cursor: String
        var openedAt: Instant
        /// The sessions that have opened it.
        var sessions: [ConsoleToken] = []
        /// The events that were counted, and not shown.
        var counted = 0
    }

    private struct State {
        var lists: [StreamName: List] = [:]
        /// Part of each stream's name: see `restart`.
        var generation = 0
        /// The keys of the last turn.
        var keys: [AccessKey] = []
    }

    private let state = Mutex(State())
    private let settings: ConsoleSettings
    private let templates: ConsoleTemplates
    private let hasEnded: @Sendable (ConsoleToken) -> Bool
    private let routine = Routine()

    /// `hasEnded` tells of a session whether somebody has logged out, at whatever node, and may wait for the ledger.
    init(
        _ settings: ConsoleSettings,
        _ templates: ConsoleTemplates,
        hasEnded: @escaping @Sendable (ConsoleToken) -> Bool
    ) {
        self.settings = settings
        self.templates = templates
        self.hasEnded = hasEnded
        state.withLock { $0.keys = settings.keys() }
        routine.start("console-live", state: 0) { [weak self] turn in
            turn = (turn + 1) % LiveLists.sessionTurns
            return self?.step(looksForEnded: turn == 0) ?? .seconds(3600)
        }
    }

    func close() {
        routine.end()
    }

    /// On a loop's thread: a page follows the list from now on, by the stream that this answers. It reads for itself what it
    /// missed since `cursor`; what is committed after that, and perhaps read twice, has the same id as a row that is there.
    func open(_ filter: LiveFilter, since cursor: String, by api: ConsoleAPI) -> StreamName {
        let now = settings.now()
        let stream = state.withLock { state in
            let stream = filter.stream(generation: state.generation)
            if state.lists[stream] == nil {
                state.lists[stream] = List(filter: filter, api: api, cursor: cursor, openedAt: now)
            } else {
                state.lists[stream]?.api = api
                state.lists[stream]?.openedAt = now
            }
            let token = api.session.token
            state.lists[stream]?.sessions.removeAll { $0.id == token.id || $0.expiry <= now }
            state.lists[stream]?.sessions.append(token)
            return stream
        }
        routine.wake()
        return stream
    }

    /// Somebody has logged out, a key has changed, or a user was erased: every list that is open reloads, and whoever may not
    /// see it any more stands at the log-in. A connection that does not go away is told nothing more, since what comes has
    /// other streams.
    func restart() {
        state.withLock { restart(&$0) }
    }

    private func restart(_ state: inout State) {
        state.generation += 1
        let streams = state.lists.keys
        state.lists = [:]
        // Within the lock: after this, nothing is handed to these streams.
        settings.publish(streams.map { Message(stream: $0, position: nil, parts: [.refresh]) })
    }

    /// What a page missed: the newest rows after its cursor, and how many came besides. It asks a few times at the most, and
    /// an answer without events may have looked at a part only.
    func missed(
        _ filter: LiveFilter,
        on stream: StreamName,
        since cursor: String,
        by api: ConsoleAPI
    ) throws(ConsoleError) -> CatchUpBatch {
        let newest = try news(of: filter, since: cursor, by: api)
        let through = Cursor(newest.since)?.position ?? 0
        var (shown, others) = (newest.events, 0)
        var (rest, next) = (newest.next, newest.next)
        for _ in 0..<LiveLists.questionLimit {
            guard let before = next else { break }
            let older = try news(of: filter, since: cursor, before: before, by: api)
            next = older.next
            if shown.isEmpty { (shown, rest) = (older.events, next) } else { others += older.events.count }
        }
        guard !shown.isEmpty || next != nil else { return CatchUpBatch(through: through, messages: []) }
        var parts = parts(shown, since: newest.since)
        if let rest, others > 0 || next != nil {
            let count = others >= 1000 ? "1,000+" : next == nil ? String(others) : "\(others)+"
            parts.append(
                more("\(count) more came meanwhile.", query: filter.text + "before=\(rest)", title: "List them")
            )
        }
        return CatchUpBatch(
            through: through,
            messages: [Message(stream: stream, position: through, parts: parts)]
        )
    }

    /// Returns how long to wait for the next turn.
    private func step(looksForEnded: Bool) -> Duration {
        let keys = settings.keys()
        // Another node says nothing of a log-out there: the ledger does.
        if looksForEnded, state.withLock({ $0.lists.values.flatMap(\.sessions) }).contains(where: hasEnded) {
            restart()
        }
        let open = state.withLock { state in
            if state.keys != keys { restart(&state) }
            state.keys = keys
            return state.lists
        }
        for (stream, list) in open {
            let isNew = settings.now().elapsed(since: list.openedAt) < LiveLists.patience
            guard isNew || settings.isFollowed(stream) else {
                state.withLock { $0.lists[stream] = nil }
                continue
            }
            advance(list, on: stream)
        }
        return open.isEmpty ? .seconds(3600) : LiveLists.turn
    }

    private func advance(_ list: List, on stream: StreamName) {
        let found: EventsAnswer
        do throws(ConsoleError) {
            found = try news(of: list.filter, since: list.cursor, by: list.api)
        } catch {
            // Its key may be gone: the pages reload, and their readers log in again. A ledger that is busy answers later.
            guard case .forbidden = error else { return }
            return restart()
        }
        var list = list
        list.cursor = found.since
        if found.events.count > LiveLists.rowLimit { list.counted += found.events.count }
        let parts =
            found.events.count > LiveLists.rowLimit
            ? [burst(list, isCapped: found.next != nil), moved(found.since)] : parts(found.events, since: found.since)
        state.withLock { state in
            // It may have ended meanwhile.
            guard state.lists[stream] != nil else { return }
            state.lists[stream]?.cursor = list.cursor
            state.lists[stream]?.counted = list.counted
            if !found.events.isEmpty { settings.publish([Message(stream: stream, position: nil, parts: parts)]) }
        }
    }

    private func news(
        of filter: LiveFilter,
        since cursor: String,
        before newest: String? = nil,
        by api: ConsoleAPI
    ) throws(ConsoleError) -> EventsAnswer {
        let before = newest.map { [(name: "before", value: $0)] } ?? []
        let query = filter.parameters + before + [(name: "since", value: cursor), (name: "limit", value: "100")]
        return try api.get(EventsAnswer.self, from: .events, query: query)
    }

    /// Oldest first, since each goes to the top. An event that a user has now replaces the chips of the same contract's that
    /// nobody had.
    private func parts(_ newest: [FeedItem], since cursor: String) -> [Part] {
        newest.reversed().flatMap { item in
            var parts = [part("live.prepend", ["row": templates.row(item)])]
            if item.user != nil, let mark = item.mark {
                let chip = templates.chip("claimed since", tone: "good")
                parts.append(part("live.claimed", ["mark": mark, "chip": chip]))
            }
            return parts
        } + [moved(cursor)]
    }

    private func burst(_ list: List, isCapped: Bool) -> Part {
        let text = "\(list.counted)\(isCapped ? "+" : "") events came too fast to be listed."
        return more(text, query: list.filter.text, title: "Show the newest")
    }

    private func more(_ text: String, query: String, title: String) -> Part {
        part("live.more", ["text": text, "query": Field(query), "title": title])
    }

    /// Where a list that was paused goes on.
    private func moved(_ cursor: String) -> Part { part("live.moved", ["cursor": cursor]) }

    private func part(_ name: String, _ values: [String: any TemplateValue]) -> Part {
        Part(html: Array(templates[name].render(values).html.utf8), collapseKey: nil)
    }
}
