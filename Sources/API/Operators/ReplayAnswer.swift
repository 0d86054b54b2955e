import APIModel
public import Domain
import Ledger
import Pages

extension Services {
    /// `POST /replays`: verifies and applies stored events again, shows what that would change, or broadcasts them again,
    /// one page at a time.
    func replays(_ request: Request) throws(RefusedBody) -> Answer {
        let body = try ReplayRequest(request.body)
        guard body.events?.count ?? 0 <= EventReplay.limit else {
            throw RefusedBody("too_many_events", message: "Name \(EventReplay.limit) events at the most, or a range.")
        }
        let since = try position(body.since, default: 0)
        let until = try position(body.until, default: .max)
        let selection = EventSelection(
            ids: body.events ?? [],
            user: body.user,
            since: since == .max ? since : since + 1,
            until: until
        )
        let replay = EventReplay(
            verifiers: verifiers,
            reader: reader,
            writer: writer,
            epoch: epoch,
            act: act(
                body.mode == .broadcast ? .resend : .replay,
                of: request,
                user: body.user,
                reason: body.reason
            )
        )
        return answer(on: .operators) { replay.response(to: selection, mode: body.mode) }
    }

    private func position(_ text: String?, default: Int64) throws(RefusedBody) -> Int64 {
        guard text != "start" else { return `default` }
        return try position(text, or: "since and until are cursors of this ledger.") ?? `default`
    }
}

extension EventReplay {
    func response(to selection: EventSelection, mode: ReplayMode) -> Response {
        do throws(LedgerError) {
            let result = try run(selection, mode: mode)
            var body = ReplayAnswer(result)
            guard !result.left.isEmpty else { return JSON.response(200, body: body) }
            // An error like any other, which also reports what was done.
            body.error = "busy"
            body.message = "The store kept saying something of the contracts under \"left\"; replay their events again."
            var response = JSON.response(503, body: body)
            response.headers.append(("Retry-After", "5"))
            return response
        } catch {
            return .unavailable("ledger_unavailable", message: "The ledger could not replay it: \(error)")
        }
    }
}

extension ReplayRequest {
    init(_ bytes: [UInt8]) throws(RefusedBody) {
        let node = try RefusedBody.object(bytes, instead: Self.instead)
        guard let mode = ReplayMode(rawValue: try RefusedBody.requiredString("mode", of: node)) else {
            throw RefusedBody("invalid_json", message: Self.instead)
        }
        self.init(mode: mode)
        events = try RefusedBody.strings("events", of: node)
        user = try RefusedBody.user(of: node)
        since = try RefusedBody.string("since", of: node)
        until = try RefusedBody.string("until", of: node)
        reason = try RefusedBody.string("reason", of: node)
        try RefusedBody.check(reason: reason, about: user)
    }

    private static var instead: String {
        let words = ReplayMode.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        return "Send {\"mode\":…} with one of \(words)."
    }
}

extension ReplayAnswer {
    fileprivate init(_ result: EventReplay.Result) {
        self.init(
            read: result.read,
            changes: result.changes.map(Change.init),
            skipped: result.skipped.map {
                Skipped(event: $0.event.id, provider: $0.event.provider.rawValue, reason: $0.reason)
            },
            told: result.told,
            left: result.left,
            next: result.next?.description
        )
    }
}

extension ReplayAnswer.Change {
    fileprivate init(_ change: ReplayChange) {
        self.init(event: change.event, contract: change.contract)
        user = change.user
        previousUser = change.previousUser
        before = change.before?.rawValue
        after = change.after?.rawValue
        accessUntilBefore = change.accessUntilBefore?.iso8601
        accessUntil = change.accessUntil?.iso8601
    }
}

/// Answers `POST /replays`: one page. A 503 that reports what was done all the same also has `error` and `message`.
public struct ReplayAnswer: Codable, Sendable, Equatable {
    /// The effect of the replay on one contract, or its effect if it were run. Unknown values have no member.
    public struct Change: Codable, Sendable, Equatable {
        /// The store's id for the event, or for the last of several.
        public var event: String
        /// The store's lineage id.
        public var contract: String
        /// The owner after the replay.
        public var user: UserID?
        /// The owner before the replay.
        public var previousUser: UserID?
        /// A `ContractState`: before the replay.
        public var before: String?
        /// A `ContractState`: after the replay.
        public var after: String?
        /// When access ended before the replay: ISO 8601, UTC.
        public var accessUntilBefore: String?
        /// When access ends after the replay: ISO 8601, UTC.
        public var accessUntil: String?
    }

    /// An event that can no longer be read, or not at the moment.
    public struct Skipped: Codable, Sendable, Equatable {
        /// The store's id for the event.
        public var event: String
        /// The store's name.
        public var provider: String
        /// Why: a code in `snake_case`.
        public var reason: String
    }

    /// As in an `ErrorAnswer`; only if something is `left`.
    public var error: String?
    public var message: String?
    /// How many stored events were selected.
    public var read: Int
    public var changes: [Change]
    public var skipped: [Skipped]
    /// Users whose pages got the broadcast again.
    public var told: [UserID]
    /// Contracts that were left unchanged, by the store's lineage id.
    public var left: [String]
    /// Where to continue: a cursor; absent on the last page.
    public var next: String?
}
