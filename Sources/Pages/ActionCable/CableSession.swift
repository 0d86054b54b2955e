import Encoding
public import HTTP

/// The subscriptions of one client, and the effect of each command. Pure: the driver verifies, reads and writes.
///
/// A subscription is *pending* until the messages that it missed have arrived, then *confirmed*. Stock clients repeat
/// `subscribe` every 500 ms until they are confirmed, even for a subscription that was confirmed long ago
/// (https://github.com/rails/rails/issues/44652); AnyCable's client answers an unexpected confirmation by
/// unsubscribing. So a repeated `subscribe` gets no answer while pending, and another confirmation afterwards.
public struct CableSession: Sendable {
    /// Work for the driver.
    public enum Effect: Sendable, Equatable {
        case send([UInt8])
        /// Verify the name, then call `attach` or `reject`.
        case subscribe(CableIdentifier, CableHistory?)
        case unsubscribe(SubscriptionID)
        /// Read what the client missed from the ledger again, then `attach` the new subscription in place of this one.
        case history(CableIdentifier, CableHistory, SubscriptionID)
        case disconnect(CableDisconnect)
    }

    private struct Subscription {
        let identifier: CableIdentifier
        var id: SubscriptionID
        var isConfirmed: Bool
        /// The client asked for history, so it is told when it has all of it.
        var owesHistory: Bool
        /// The position up to which everything has certainly arrived; nil if nothing is known.
        var arrived: Int64?
    }

    private let limits: Limits
    private var subscriptions: [Subscription] = []
    private var minute: Int64 = 0
    private var commands = 0

    public init(limits: Limits) { self.limits = limits }

    public var ids: [SubscriptionID] { subscriptions.map(\.id) }
    public var identifiers: [CableIdentifier] { subscriptions.map(\.identifier) }
    /// What a returning client will follow again.
    public var kept: [KeptSubscription] {
        subscriptions.map { KeptSubscription($0.identifier, arrived: $0.arrived) }
    }

    /// A text frame arrived. `now` is in seconds.
    public mutating func received(_ text: [UInt8], now: Int64) -> Effect? {
        guard isWithinRate(now) else { return .disconnect(.tooManyCommands) }
        // What is not JSON, or not a known command, Rails logs; then it goes on. So do `message` and `pong`.
        guard let node = JSONNode(text), let command = node["command"]?.text else { return nil }
        if command == "ping" { return .send(CableMessage.pong) }
        guard let identifier = node["identifier"]?.text.flatMap({ CableIdentifier($0) }) else { return nil }
        switch (command, CableHistory(node["history"])) {
        case ("subscribe", let history): return subscribe(identifier, history: history)
        case ("unsubscribe", _):
            guard let index = index(identifier) else { return nil }
            return .unsubscribe(subscriptions.remove(at: index).id)
        case ("history", let history?):
            guard let index = index(identifier) else {
                return .send(CableMessage.verdict(.rejectHistory, on: identifier))
            }
            return .history(identifier, history, subscriptions[index].id)
        default: return nil
        }
    }

    /// The name is valid and its stream is being followed. A subscription that already exists gets the new id.
    public mutating func attach(_ id: SubscriptionID, to identifier: CableIdentifier, owesHistory: Bool) {
        if let index = index(identifier) {
            subscriptions[index].id = id
            subscriptions[index].owesHistory = owesHistory
            return
        }
        subscriptions.append(Subscription(identifier: identifier, id: id, isConfirmed: false, owesHistory: owesHistory))
    }

    /// The welcome has announced a resumed subscription, so it is confirmed without another message.
    public mutating func restore(_ id: SubscriptionID, to kept: KeptSubscription) {
        subscriptions.append(
            Subscription(
                identifier: kept.identifier,
                id: id,
                isConfirmed: true,
                owesHistory: false,
                arrived: kept.arrived
            )
        )
    }

    /// Everything up to `position` has arrived, as far as this subscription is concerned.
    public mutating func arrived(_ position: Int64, for id: SubscriptionID) {
        guard let index = subscriptions.firstIndex(where: { $0.id == id }) else { return }
        subscriptions[index].arrived = max(position, subscriptions[index].arrived ?? position)
    }

    /// Call when the messages that it missed have arrived. Returns what to send before them, once.
    public mutating func confirmation(of id: SubscriptionID) -> [UInt8]? {
        guard let index = subscriptions.firstIndex(where: { $0.id == id }), !subscriptions[index].isConfirmed
        else { return nil }
        subscriptions[index].isConfirmed = true
        return CableMessage.verdict(.confirmSubscription, on: subscriptions[index].identifier)
    }

    /// Call when the messages that it missed have been sent. Returns what to send after them if history was asked for.
    public mutating func historyVerdict(of id: SubscriptionID, isComplete: Bool) -> [UInt8]? {
        guard let index = subscriptions.firstIndex(where: { $0.id == id }), subscriptions[index].owesHistory
        else { return nil }
        subscriptions[index].owesHistory = false
        return CableMessage.verdict(isComplete ? .confirmHistory : .rejectHistory, on: subscriptions[index].identifier)
    }

    /// The name is not valid, or no longer valid.
    public mutating func reject(_ identifier: CableIdentifier) -> [UInt8] {
        subscriptions.removeAll { $0.identifier == identifier }
        return CableMessage.verdict(.rejectSubscription, on: identifier)
    }

    /// Whether the client has been told that it is subscribed.
    public func isConfirmed(_ id: SubscriptionID) -> Bool {
        subscriptions.contains { $0.id == id && $0.isConfirmed }
    }

    /// Ends the subscription without a message: a stock client whose subscription was pending asks again in 500 ms.
    public mutating func detach(_ id: SubscriptionID) { subscriptions.removeAll { $0.id == id } }

    public func identifier(of id: SubscriptionID) -> CableIdentifier? {
        subscriptions.first { $0.id == id }?.identifier
    }

    private mutating func subscribe(_ identifier: CableIdentifier, history: CableHistory?) -> Effect? {
        if let index = index(identifier) {
            let isConfirmed = subscriptions[index].isConfirmed
            return isConfirmed ? .send(CableMessage.verdict(.confirmSubscription, on: identifier)) : nil
        }
        guard subscriptions.count < limits.subscriptions else { return .send(reject(identifier)) }
        return .subscribe(identifier, history)
    }

    private func index(_ identifier: CableIdentifier) -> Int? {
        subscriptions.firstIndex { $0.identifier == identifier }
    }

    private mutating func isWithinRate(_ now: Int64) -> Bool {
        if now / 60 != minute {
            minute = now / 60
            commands = 0
        }
        commands += 1
        return commands <= limits.commandsPerMinute
    }
}
