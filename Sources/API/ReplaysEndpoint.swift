internal import Domain
internal import Gateway
internal import Ledger

/// `POST /replays`: verifies and applies stored events again, tries that out, or broadcasts them again, one page at a
/// time.
struct ReplaysEndpoint {
    private static let limit = 100

    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    private struct Body {
        var events: [String]?
        var user: UserID?
        /// Selects the events after `since`, up to and including `until`.
        var since: String?
        var until: String?
        var mode: EventReplay.Mode

        init(_ bytes: [UInt8]) throws(RefusedBody) {
            let node = try RefusedBody.object(bytes, instead: Body.instead)
            guard let mode = EventReplay.Mode(rawValue: try RefusedBody.requiredString("mode", of: node)) else {
                throw RefusedBody("invalid_json", Body.instead)
            }
            self.mode = mode
            events = try RefusedBody.strings("events", of: node)
            user = try RefusedBody.user(of: node)
            since = try RefusedBody.string("since", of: node)
            until = try RefusedBody.string("until", of: node)
        }

        private static var instead: String {
            let words = EventReplay.Mode.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            return "Send {\"mode\":…} with one of \(words)."
        }
    }

    func answer(_ request: Request) -> Answer {
        let body: Body
        do throws(RefusedBody) { body = try Body(request.body) } catch { return .respond(error.response) }
        guard body.events?.count ?? 0 <= Self.limit else {
            return .respond(.error(400, "too_many_events", "Name \(Self.limit) events at the most, or a range."))
        }
        guard let since = position(body.since, default: 0), let until = position(body.until, default: .max) else {
            return .respond(.error(400, "invalid_cursor", "since and until are cursors of this ledger."))
        }
        let selection = EventSelection(
            ids: body.events ?? [],
            user: body.user,
            since: since == .max ? since : since + 1,
            until: until
        )
        let replay = EventReplay(
            verifiers: services.verifiers,
            reader: services.reader,
            writer: services.writer,
            epoch: services.epoch
        )
        return .later { [blockingPools = services.blockingPools] reply in
            blockingPools.submit(.operators) {
                reply.send(Self.response(replay, selection, body.mode))
            } orElse: {
                reply.send(.busy)
            }
        }
    }

    private func position(_ text: String?, default: Int64) -> Int64? {
        guard let text, text != "start" else { return `default` }
        guard let cursor = Cursor(text), cursor.epoch == services.epoch else { return nil }
        return cursor.position
    }

    static func response(
        _ replay: EventReplay,
        _ selection: EventSelection,
        _ mode: EventReplay.Mode
    ) -> Response {
        do throws(LedgerError) {
            let result = try replay.run(selection, limit: limit, mode)
            guard result.left.isEmpty else { return .incomplete(result) }
            return JSON.response(200, Replayed(result))
        } catch {
            return .unavailable("ledger_unavailable", "The ledger could not replay it: \(error)")
        }
    }
}

extension Response {
    /// An error like any other, which also reports what was done.
    fileprivate static func incomplete(_ result: EventReplay.Result) -> Response {
        var body = Replayed(result)
        body.error = "busy"
        body.message = "The store kept saying something of the contracts under \"left\"; replay their events again."
        var response = JSON.response(503, body)
        response.headers.append(("Retry-After", "5"))
        return response
    }
}

private struct Replayed: Encodable {
    struct Change: Encodable {
        var event: String
        var contract: String
        var user: UserID?
        var previousUser: UserID?
        var before: String?
        var after: String?
        var accessUntilBefore: String?
        var accessUntil: String?
    }

    struct Skipped: Encodable {
        var event: String
        var provider: String
        var reason: String
    }

    var error: String?
    var message: String?
    /// How many stored events were selected.
    var read: Int
    var changes: [Change]
    /// Events that can no longer be read, or not at the moment.
    var skipped: [Skipped]
    /// Users whose pages got the broadcast again.
    var told: [UserID]
    /// Contracts that were left unchanged, by the store's lineage id.
    var left: [String]
    /// Where to continue; nil after the last page.
    var next: String?

    init(_ result: EventReplay.Result) {
        read = result.read
        changes = result.changes.map { change in
            Change(
                event: change.event,
                contract: change.contract,
                user: change.user,
                previousUser: change.previousUser,
                before: change.before?.rawValue,
                after: change.after?.rawValue,
                accessUntilBefore: change.accessUntilBefore?.iso8601,
                accessUntil: change.accessUntil?.iso8601
            )
        }
        skipped = result.skipped.map {
            Skipped(event: $0.event.id, provider: $0.event.provider.rawValue, reason: $0.reason)
        }
        told = result.told
        left = result.left
        next = result.next?.description
    }
}
