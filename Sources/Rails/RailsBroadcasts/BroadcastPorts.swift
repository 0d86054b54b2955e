public import Domain
public import Support

/// The result of a batch of broadcasts.
public enum BroadcastCommit: Sendable {
    case committed
    /// Nothing was written: the listener retries the same batch.
    case busy
    /// It will never be written.
    case refused
}

/// When broadcasts may have been missed.
public enum BroadcastGap: Sendable {
    /// Before the listener heard anything.
    case beforeStart
    case outage
}

/// Submits fragments to the ledger, to be committed together; returns false when it has no room. The completion runs
/// once, on any thread.
public typealias SubmitBroadcasts = @Sendable ([Fragment], @escaping @Sendable (BroadcastCommit) -> Void) -> Bool

/// Makes up for a gap; it must not block.
public typealias HealBroadcasts = @Sendable (BroadcastGap) -> Void

/// State that a listener's thread shares with the ledger's.
public struct BroadcastPorts: Sendable {
    public let submit: SubmitBroadcasts
    /// The result of the submitted batch. Closing the mailbox ends the thread.
    public let mailbox: Mailbox<BroadcastCommit>
    public let bell: EventDescriptor

    /// Returns nil when the process has run out of descriptors.
    public init?(submit: @escaping SubmitBroadcasts) {
        guard let bell = EventDescriptor() else { return nil }
        self.submit = submit
        self.bell = bell
        mailbox = Mailbox(capacity: 1) { bell.wake() }
    }
}
