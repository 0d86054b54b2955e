public import Domain

/// Which notifications to request. Apple keeps them for 180 days in Production and 30 in Sandbox.
public struct AppleNotificationQuery: Sendable, Equatable {
    public var start: Instant
    public var end: Instant
    /// Requests only notifications that our server did not answer with a success.
    public var onlyFailures: Bool

    public init(start: Instant, end: Instant, onlyFailures: Bool = false) {
        self.start = start
        self.end = end
        self.onlyFailures = onlyFailures
    }
}

/// One page of the notification history.
public struct AppleNotificationPage: Sendable, Equatable {
    /// A notification as Apple posts it to `/webhooks/apple`, or would have; not verified yet.
    public var bodies: [[UInt8]]
    /// The token of the next page; nil at the end.
    public var next: String?

    public init(bodies: [[UInt8]], next: String?) {
        self.bodies = bodies
        self.next = next
    }
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

/// A page with `hasMore` and the token of the next page, like every paged answer.
struct AppleHistoryAnswer: Decodable {
    struct Record: Decodable {
        var signedPayload: String
    }

    var notificationHistory: [Record]?
    var hasMore: Bool?
    var paginationToken: String?
}

struct AppleTransactionsAnswer: Decodable {
    var signedTransactions: [String]?
    var hasMore: Bool?
    var revision: String?
}

struct AppleStatusesAnswer: Decodable {
    struct Group: Decodable {
        var lastTransactions: [Item]?
    }

    struct Item: Decodable {
        var status: Int
        var originalTransactionId: String?
        var signedTransactionInfo: String
        var signedRenewalInfo: String?
    }

    var data: [Group]?
}

struct AppleTransactionAnswer: Decodable {
    var signedTransactionInfo: String
}

struct AppleTestAnswer: Decodable {
    var testNotificationToken: String
}

struct AppleTestStatusAnswer: Decodable {
    struct Attempt: Decodable {
        var attemptDate: Double?
        var sendAttemptResult: String?
    }

    var signedPayload: String
    var sendAttempts: [Attempt]?
}

struct AppleErrorAnswer: Decodable {
    var errorCode: Int64?
    var errorMessage: String?
}
