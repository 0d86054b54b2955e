public import Domain

/// Answers `GET /hooks`.
public struct HooksAnswer: Codable, Sendable, Equatable {
    public struct Hook: Codable, Sendable, Equatable {
        /// Without its query, which may hold a secret.
        public var url: String
        /// `ok`, `failing`, or `gone` once it has answered 410.
        public var state: String
        /// When it last accepted a message: ISO 8601, UTC.
        @Nullable public var lastSuccess: String?
        /// Attempts that have failed since then.
        public var failures: Int
        /// ISO 8601, UTC; null unless it fails.
        @Nullable public var failingSince: String?
        /// Why the last attempt failed: one sentence.
        @Nullable public var reason: String?
        /// Messages that it is still to get, up to 100,000.
        public var waiting: Int
        /// Since when the oldest of them waits: ISO 8601, UTC.
        @Nullable public var oldest: String?

        public init(
            url: String,
            state: String,
            lastSuccess: Instant?,
            failures: Int,
            failingSince: Instant?,
            reason: String?,
            waiting: Int,
            oldest: Instant?
        ) {
            self.url = url
            self.state = state
            self.failures = failures
            self.waiting = waiting
            self.lastSuccess = lastSuccess?.iso8601
            self.failingSince = failingSince?.iso8601
            self.reason = reason
            self.oldest = oldest?.iso8601
        }
    }

    /// In the order of the settings.
    public var hooks: [Hook]

    public init(hooks: [Hook]) { self.hooks = hooks }
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

        public init(
            id: Int64,
            message: String,
            url: String,
            user: UserID,
            type: String,
            state: String,
            attempts: Int,
            cursor: Cursor,
            superseded: Int,
            queuedAt: Instant,
            dueAt: Instant?,
            endedAt: Instant?,
            reason: String?
        ) {
            self.id = String(id)
            self.message = message
            self.url = url
            self.user = user
            self.type = type
            self.state = state
            self.attempts = attempts
            self.cursor = cursor.description
            self.superseded = superseded
            self.queuedAt = queuedAt.iso8601
            self.dueAt = dueAt?.iso8601
            self.endedAt = endedAt?.iso8601
            self.reason = reason
        }
    }

    /// The highest id first, which a row keeps from its user's first message on.
    public var deliveries: [Delivery]
    /// `before` of the next page; null on the last one.
    @Nullable public var next: String?

    public init(deliveries: [Delivery], next: String?) {
        self.deliveries = deliveries
        self.next = next
    }
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

    public init(hooks: [Trial]) { self.hooks = hooks }
}

/// Answers `POST /hooks/deliveries/{id}/resend`.
public struct HookResendAnswer: Codable, Sendable, Equatable {
    public var id: String
    /// Always `waiting`: `GET /hooks/deliveries` says what comes of it.
    public var state: String

    public init(id: Int64) {
        self.id = String(id)
        state = "waiting"
    }
}
