public import Support

/// Where a Rails app's broadcasts come from. Made and used on the listener's thread.
public protocol BroadcastSource: AnyObject {
    /// Why broadcasts do not arrive, in words for the operator; nil while they do.
    var problem: String? { get }
    /// Something for the operator to look into while broadcasts still arrive; nil if there is nothing.
    var warning: String? { get }
    /// When `receive` has something to do, on the monotonic clock.
    var next: Duration { get }
    /// Forgets what it has not handed over yet, since another node may have submitted it, and heals the gap.
    func startOver(_ receiver: BroadcastReceiver)
    /// Hands over what has arrived, and does what is due. It never waits longer than seconds.
    func receive(_ receiver: BroadcastReceiver)
    /// Sleeps until something arrives, until `bell` wakes it, or for `timeout`.
    func wait(for bell: EventDescriptor, timeout: Duration, receiver: BroadcastReceiver)
}

extension BroadcastSource {
    public func startOver(_ receiver: BroadcastReceiver) { receiver.healGap(.outage) }
    public var warning: String? { nil }

    /// For a source that is asked, and says nothing by itself.
    public func wait(for bell: EventDescriptor, timeout: Duration, receiver: BroadcastReceiver) {
        var sockets: [PolledSocket] = []
        bell.wait(timeout: timeout, or: &sockets)
    }
}

/// A listener's names: in its log, in `/ready` and as a thread.
public struct BroadcastSourceName: Sendable {
    let name: String
    /// The log's field for the address.
    let place: (key: String, address: String)
    let lost, back, refused: StaticString

    /// `address` has no password.
    public init(
        _ name: String,
        place key: String,
        address: String,
        lost: StaticString,
        back: StaticString,
        refused: StaticString
    ) {
        self.name = name
        place = (key, address)
        self.lost = lost
        self.back = back
        self.refused = refused
    }
}
