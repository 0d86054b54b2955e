public import Domain

/// A committed entry as developers see it: one JSON object, which the feed sends as one Server-Sent Event.
public enum FeedEvent {
    public static func json(_ entry: Entry, epoch: String) -> [UInt8] {
        JSON.encode(Line(entry, Cursor(epoch: epoch, position: entry.position)))
    }

    /// The complete block, with its cursor as `id:`.
    public static func block(_ entry: Entry, epoch: String) -> [UInt8] {
        let cursor = Cursor(epoch: epoch, position: entry.position)
        return EventStream.event(JSON.encode(Line(entry, cursor)), cursor: cursor)
    }

    /// The complete block that tells a consumer that its cursor does not belong to this ledger: `event: reset`, with
    /// the position after which it is told everything.
    public static func reset(to head: Cursor) -> [UInt8] {
        Array("event: reset\n".utf8) + EventStream.event(JSON.encode(Reset(cursor: head.description)), cursor: head)
    }

    private struct Reset: Encodable {
        var cursor: String
        var message = "Your cursor is not one of this ledger, which may have been restored. What it holds: since=start."
    }

    /// Values that are not known have no member.
    public struct Line: Encodable {
        var cursor: String
        var at: String
        var kind: String
        var provider: String?
        var environment: String?
        var type: String?
        var subtype: String?
        var event: String?
        var outcome: String?
        /// Why it changed nothing, for a person.
        var reason: String?
        /// When the event occurred by the store's own date, and when it arrived.
        public var occurredAt: String?
        public var receivedAt: String?
        var user: UserID?
        var contract: String?
        var order: String?
        var product: String?
        var previousState: String?
        var state: String?
        var active: Bool?
        var accessUntil: String?
        var fragments: [Caused]

        public init(_ entry: Entry, _ cursor: Cursor) {
            let notice = entry.notice
            self.cursor = cursor.description
            at = entry.committedAt.iso8601
            kind = notice.kind.rawValue
            provider = notice.provider?.rawValue
            environment = notice.environment?.rawValue
            type = notice.type
            subtype = notice.subtype
            event = notice.event
            outcome = notice.outcome?.rawValue
            reason = notice.reason
            user = notice.user
            contract = notice.contract
            order = notice.order?.description
            product = notice.product
            previousState = notice.previousState?.rawValue
            state = notice.state?.rawValue
            active = notice.active
            accessUntil = notice.accessUntil?.iso8601
            fragments = entry.fragments.map(Caused.init)
        }
    }

    /// A fragment that the entry caused; its text stays out.
    public struct Caused: Encodable {
        var stream: String
        var action: String
        var target: String?
        var fragment: String?

        init(_ fragment: Fragment) {
            stream = fragment.stream.text
            action = fragment.action
            target = fragment.target ?? fragment.targets
            if case .template(let name, _) = fragment.content { self.fragment = name }
        }
    }
}
