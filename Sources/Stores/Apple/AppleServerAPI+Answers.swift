public import Domain

/// Which notifications to request. Apple keeps them for 180 days in Production and 30 in Sandbox.
public struct AppleNotificationQuery: Sendable, Equatable {
    public var start: Instant
    public var end: Instant
    /// Requests only notifications that our server did not answer with a success.
    public var onlyFailures = false
}

/// One page of the notification history.
public struct AppleNotificationPage: Sendable, Equatable {
    /// A notification as Apple posts it to `/webhooks/apple`, or would have; not verified yet.
    public var bodies: [[UInt8]]
    /// The token of the next page; nil at the end.
    public var next: String?
}

/// The result of a test notification.
public struct AppleTestStatus: Sendable, Equatable {
    public struct Attempt: Sendable, Equatable {
        public var at: Instant?
        /// Apple's value: `SUCCESS`, `TIMED_OUT`, `TLS_ISSUE`, `NO_RESPONSE` …; an open set.
        public var result: String
    }

    /// The notification, verified.
    public var event: Event
    /// Empty while Apple has not sent it.
    public var attempts: [Attempt]
}
