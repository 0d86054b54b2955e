public import APIModel
public import Domain
import HTTP
import Ledger
import Pages

/// What the endpoints know of the backend's addresses; the server fills it in.
public struct HookDesk: Sendable {
    /// Each as the ledger knows it, and as answers show it.
    let addresses: [(address: String, shown: String)]
    /// Sends a test to each. The answers come on another thread. Returns false if that is not possible now.
    let test: @Sendable (@escaping @Sendable ([HookTestAnswer.Trial]) -> Void) -> Bool
    /// Whether nothing is sent, because the ledger is not at home.
    let isHeld: @Sendable () -> Bool

    public init(
        addresses: [(address: String, shown: String)],
        isHeld: @escaping @Sendable () -> Bool = { false },
        test: @escaping @Sendable (@escaping @Sendable ([HookTestAnswer.Trial]) -> Void) -> Bool
    ) {
        self.addresses = addresses
        self.isHeld = isHeld
        self.test = test
    }

    /// No address is configured.
    public static let none = HookDesk(
        addresses: [],
        test: { done in
            done([])
            return true
        }
    )

    func shown(_ address: String) -> String {
        addresses.first { $0.address == address }?.shown ?? String(address.prefix { $0 != "?" })
    }
}

/// How the app's backend is told.
extension Services {
    /// `GET /hooks`.
    func hookStates() -> Answer {
        answer(asking: { [hooks] in try $0.hookAddresses(hooks.addresses.map(\.address)) }) { [self] states in
            JSON.response(200, body: HooksAnswer(hooks: shown(states)))
        }
    }

    /// `POST /hooks/test`.
    func testHooks() -> Answer {
        .later { [hooks] reply in
            hooks.test { trials in reply.send(JSON.response(200, body: HookTestAnswer(hooks: trials))) }
        }
    }

    /// `GET /hooks/deliveries[?user=&state=&before=]`.
    func hookDeliveries(_ request: Request) throws(RefusedBody) -> Answer {
        let word = request.query["state"]
        let state = word.flatMap(HookState.init)
        guard word == nil || state != nil else {
            throw RefusedBody("invalid_state", message: "state must be one of waiting, delivered, failed.")
        }
        let text = request.query["before"]
        let before = text.flatMap { $0.utf8.allSatisfy({ (48...57).contains($0) }) ? Int64($0) : nil }
        guard text == nil || before != nil else {
            throw RefusedBody("invalid_cursor", message: "before must be the next of the page before.")
        }
        if let user = request.query["user"] {
            guard isValidIdentifier(user) else { throw RefusedBody.invalidUserID }
            return answer(asking: { try $0.hookDeliveries(of: UserID(user)) }) { [self] found in
                response(found.filter { state == nil || $0.state == state }, isLast: true)
            }
        }
        let limit = 100
        return answer(asking: { try $0.hookDeliveries(in: state, before: before ?? .max, limit: limit) }) {
            [self] found in
            response(found, isLast: found.count < limit)
        }
    }

    private func response(_ found: [HookDelivery], isLast: Bool) -> Response {
        let next = isLast ? nil : found.last.map { String($0.id) }
        return JSON.response(200, body: HookDeliveriesAnswer(deliveries: found.map(shown), next: next))
    }

    /// The states of the backend's addresses, in their order.
    func shown(_ states: [HookAddressState]) -> [HooksAnswer.Hook] {
        let isHeld = hooks.isHeld()
        return zip(states, hooks.addresses).map { state, address in
            HooksAnswer.Hook(state, url: address.shown, isHeld: isHeld)
        }
    }

    func shown(_ delivery: HookDelivery) -> HookDeliveriesAnswer.Delivery {
        HookDeliveriesAnswer.Delivery(delivery, url: hooks.shown(delivery.address), epoch: epoch)
    }

    /// `POST /hooks/deliveries/{id}/resend`. The message is sent in the user's present state, with the id that it had.
    func resendHook(_ text: String, _ request: Request) throws(RefusedBody) -> Answer {
        guard let id = Int64(text) else { return .respond(Services.unknownDelivery) }
        let reason = request.query["reason"]
        try RefusedBody.check(reason: reason, about: nil)
        let act = act(.resend, of: request, user: nil, reason: reason)
        return .later { [self] reply in
            ask({ try $0.hookDelivery(id) }, for: reply) { [self] found in
                guard let delivery = found else { return reply.send(Services.unknownDelivery) }
                if let reason, Act.names(delivery.user, in: reason) {
                    return reply.send(RefusedBody.namingReason.response)
                }
                let command = LedgerCommand.resendHook(id) { isCommitted in
                    reply.send(isCommitted ? JSON.response(202, body: HookResendAnswer(id: String(id))) : .busy)
                }
                var act = act
                act.user = delivery.user
                reply.send(busyUnless: writer.submit(.audited(command, by: act)))
            }
        }
    }

    private static let unknownDelivery = Response.error(
        404,
        code: "unknown_delivery",
        message: "No delivery has this id: GET /hooks/deliveries lists them."
    )
}

extension HooksAnswer.Hook {
    private static let held = "nothing goes out of this ledger until “paycast release”: /ready says why"

    /// While it is held, what is stored of its failures is another server's.
    fileprivate init(_ stored: HookAddressState, url: String, isHeld: Bool) {
        var state = stored
        if isHeld {
            (state.failures, state.failingSince, state.goneAt) = (0, nil, nil)
            state.reason = HooksAnswer.Hook.held
        }
        let word = isHeld ? "held" : state.goneAt != nil ? "gone" : state.failures > 0 ? "failing" : "ok"
        self.init(
            url: url,
            state: word,
            lastSuccess: state.acceptedAt?.iso8601,
            failures: state.failures,
            failingSince: state.failingSince?.iso8601,
            reason: state.reason,
            waiting: state.waiting,
            oldest: state.oldest?.iso8601
        )
    }
}

extension HookDeliveriesAnswer.Delivery {
    fileprivate init(_ delivery: HookDelivery, url: String, epoch: String) {
        self.init(
            id: String(delivery.id),
            message: delivery.messageID(epoch: epoch),
            url: url,
            user: delivery.user,
            type: delivery.type.rawValue,
            state: delivery.state.rawValue,
            attempts: delivery.attempts,
            cursor: Cursor(epoch: epoch, position: delivery.position).description,
            superseded: delivery.superseded,
            queuedAt: delivery.queuedAt.iso8601,
            dueAt: delivery.dueAt?.iso8601,
            endedAt: delivery.endedAt?.iso8601,
            reason: delivery.reason
        )
    }
}

/// Answers `GET /hooks`.
public struct HooksAnswer: Codable, Sendable, Equatable {
    public struct Hook: Codable, Sendable, Equatable {
        /// Without its query, which may hold a secret.
        public var url: String
        /// `ok`, `failing`, `gone` once it has answered 410, or `held` while nothing goes out of the ledger.
        public var state: String
        /// When it last accepted a message: ISO 8601, UTC.
        @Nullable public var lastSuccess: String?
        /// Attempts that have failed since then.
        public var failures: Int
        /// ISO 8601, UTC; null unless it fails.
        @Nullable public var failingSince: String?
        /// Why the last attempt failed, or why nothing is sent: one sentence.
        @Nullable public var reason: String?
        /// Messages that it is still to get, up to 100,000.
        public var waiting: Int
        /// Since when the oldest of them waits: ISO 8601, UTC.
        @Nullable public var oldest: String?
    }

    /// In the order of the settings.
    public var hooks: [Hook]
}

/// Answers `GET /hooks/deliveries`.
public struct HookDeliveriesAnswer: Codable, Sendable, Equatable {
    public struct Delivery: Codable, Sendable, Equatable {
        /// For `resend`.
        public var id: String
        /// The `webhook-id` of the message.
        public var message: String
        /// Without its query, which may hold a secret.
        public var url: String
        public var user: UserID
        public var type: String
        /// `waiting`, `delivered` or `failed`.
        public var state: String
        /// Attempts so far.
        public var attempts: Int
        /// Where the cause was committed.
        public var cursor: String
        /// Older states that this address was not told of, because this one took their place.
        public var superseded: Int
        /// Since when the address has not known the newest state: ISO 8601, UTC.
        public var queuedAt: String
        /// The next attempt; null unless it waits.
        @Nullable public var dueAt: String?
        /// When it was delivered or given up; null while it waits.
        @Nullable public var endedAt: String?
        /// Why the last attempt failed.
        @Nullable public var reason: String?
    }

    /// The highest id first, which a row keeps from its user's first message on.
    public var deliveries: [Delivery]
    /// `before` of the next page; null on the last one.
    @Nullable public var next: String?
}

/// Answers `POST /hooks/test`.
public struct HookTestAnswer: Codable, Sendable, Equatable {
    public struct Trial: Codable, Sendable, Equatable {
        /// Without its query, which may hold a secret.
        public var url: String
        /// Whether it accepted the message.
        public var ok: Bool
        /// The status that it answered; null without an answer.
        @Nullable public var status: Int?
        /// What it means: one sentence.
        public var message: String
        public var milliseconds: Int

        public init(url: String, ok: Bool, status: Int?, message: String, milliseconds: Int) {
            self.url = url
            self.ok = ok
            self.message = message
            self.milliseconds = milliseconds
            self.status = status
        }
    }

    /// In the order of the settings.
    public var hooks: [Trial]
}

/// Answers `POST /hooks/deliveries/{id}/resend`.
public struct HookResendAnswer: Codable, Sendable, Equatable {
    public var id: String
    /// Always `waiting`: `GET /hooks/deliveries` says what comes of it.
    public var state = "waiting"
}
