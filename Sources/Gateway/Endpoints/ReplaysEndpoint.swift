internal import Domain
internal import Ledger
internal import Providers
internal import Runtime

/// `POST /replays`: stored events are proven and applied once more, tried, or told again; a page of them at a time.
struct ReplaysEndpoint {
    private static let limit = 500

    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    private struct Body: Decodable {
        var events: [String]?
        var user: String?
        /// After this cursor, up to that one.
        var since: String?
        var until: String?
        var mode: String
    }

    private static let modes: KeyValuePairs<String, ReplayMode> = [
        "dry_run": .dryRun, "apply": .apply, "broadcast": .broadcast,
    ]

    func answer(_ request: Request) -> Answer {
        guard let body = JSON.decode(Body.self, from: request.body),
            let mode = Self.modes.first(where: { $0.key == body.mode })?.value
        else {
            let words = Self.modes.map { "\"\($0.key)\"" }.joined(separator: ", ")
            return .respond(.error(400, "invalid_json", "Send {\"mode\":…} with one of \(words)."))
        }
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
        return .later { reply in
            services.reader.events(selection, limit: Self.limit) { result in
                guard case .success(let stored) = result else { return reply.send(Self.unavailable) }
                let isTaken = services.callers.submit { replay(stored, mode, isWhole: body.events != nil, reply) }
                if !isTaken { reply.send(.busy) }
            }
        }
    }

    private func position(_ text: String?, default: Int64) -> Int64? {
        guard let text, text != "start" else { return `default` }
        guard let cursor = Cursor(text), cursor.epoch == services.epoch else { return nil }
        return cursor.position
    }

    private func replay(_ stored: [StoredEvent], _ mode: ReplayMode, isWhole: Bool, _ reply: Reply) {
        var (events, skipped): ([Event], [Replayed.Skipped]) = ([], [])
        for one in stored {
            do throws(VerificationError) {
                if let event = try reread(one) {
                    events.append(event)
                } else {
                    skipped.append(Replayed.Skipped(one, reason: "not_replayable"))
                }
            } catch {
                skipped.append(Replayed.Skipped(one, reason: error.code))
            }
        }
        let isFull = !isWhole && stored.count == Self.limit
        let next = isFull ? stored.last.map { Cursor(epoch: services.epoch, position: $0.position).description } : nil
        let isTaken = services.writer.submit(
            .replay(events, mode) { [skipped] result in
                guard case .success(let changes) = result else { return reply.send(Self.unavailable) }
                reply.send(
                    JSON.response(
                        200,
                        Replayed(
                            read: stored.count,
                            changes: changes.filter(\.changesSomething).map(Replayed.Change.init),
                            skipped: skipped,
                            next: next
                        )
                    )
                )
            }
        )
        if !isTaken { reply.send(.busy) }
    }

    private func reread(_ event: StoredEvent) throws(VerificationError) -> Event? {
        guard let verifier = services.verifiers[event.provider] else { throw .notConfigured }
        return try verifier.reread(
            StoredDelivery(
                id: event.id,
                body: event.body,
                environment: event.environment,
                app: event.app,
                receivedAt: event.receivedAt
            )
        )
    }

    private static let unavailable = Response.unavailable(
        "ledger_unavailable",
        "The ledger could not replay it; nothing was changed."
    )
}

private struct Replayed: Encodable {
    struct Change: Encodable {
        var event: String
        var contract: String
        var user: String?
        var previousUser: String?
        var before: String?
        var after: String?
        var accessUntilBefore: String?
        var accessUntil: String?

        init(_ change: ReplayChange) {
            event = change.event
            contract = change.contract
            user = change.user
            previousUser = change.previousUser
            before = change.before?.rawValue
            after = change.after?.rawValue
            accessUntilBefore = change.accessUntilBefore?.iso8601
            accessUntil = change.accessUntil?.iso8601
        }
    }

    struct Skipped: Encodable {
        var event: String
        var provider: String
        var reason: String

        init(_ stored: StoredEvent, reason: String) {
            event = stored.id
            provider = stored.provider.rawValue
            self.reason = reason
        }
    }

    /// How many stored events were selected.
    var read: Int
    var changes: [Change]
    var skipped: [Skipped]
    /// Where to go on; nil when there is no more.
    var next: String?
}
