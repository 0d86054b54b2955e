public import Domain

/// What has become of a message to the backend.
public enum HookState: String, CaseIterable, Sendable {
    case waiting, delivered, failed
}

/// A message to one address about one user. There is one of each type: a newer state takes the place of an older one.
public struct HookDelivery: Sendable, Equatable {
    public var id: Int64
    public var address: String
    public var user: UserID
    public var type: HookType
    public var state: HookState
    /// Of the entry with the cause.
    public var position: Int64
    /// Counts the states that there was something to tell of; `accepted` is the last one that arrived, or 0.
    public var version: Int64
    public var accepted: Int64
    /// Since when the backend has not known the newest state.
    public var queuedAt: Instant
    public var attempts: Int
    /// Nil unless it waits.
    public var dueAt: Instant?
    /// Why the last attempt failed.
    public var reason: String?
    /// When it arrived, or was given up.
    public var endedAt: Instant?

    /// The states that the backend was never told, because a newer one took their place.
    public var superseded: Int { Int(max(0, version - accepted - 1)) }

    /// `webhook-id`: the same until there is something newer to tell, and on no other message.
    public func messageID(epoch: String) -> String { "msg_\(epoch)_\(position)_\(id)" }
}

/// A message, and what came of an attempt to send it.
public struct AnsweredHook: Sendable {
    public var delivery: HookDelivery
    public var result: HookResult

    public init(_ delivery: HookDelivery, result: HookResult) {
        self.delivery = delivery
        self.result = result
    }
}

/// A message that is to be sent now, with what it says.
public struct DueHook: Sendable {
    public var delivery: HookDelivery
    /// What has changed the user's state.
    public var cause: Entry
    /// Nil for the erasure of a user.
    public var entitlements: UserEntitlements?
}

/// How an address of the backend fares.
public struct HookAddressState: Sendable, Equatable {
    public var address: String
    /// When it last accepted a message.
    public var acceptedAt: Instant?
    /// Attempts since then.
    public var failures = 0
    public var failingSince: Instant?
    /// When it said that it is gone; nothing is sent there since.
    public var goneAt: Instant?
    /// Why the last attempt failed.
    public var reason: String?
    /// At most `JobBacklog.countLimit`.
    public var waiting = 0
    /// Since when the message that has waited longest waits.
    public var oldest: Instant?
}
