public import Domain
internal import Runtime

/// Carries from the ledger's writer to the reconciler which contracts' access has ended because their time was over.
public final class AccessEnds: Sendable {
    private let mailbox = Mailbox<Notice>(capacity: 10_000) {}

    public init() {}

    /// On the writer's thread, after the commit. What finds no room is not logged, and nothing else.
    public func committed(_ entries: [Entry]) {
        for entry in entries where entry.notice.kind == .accessEnded { mailbox.send(entry.notice) }
    }

    func take() -> [Notice] { mailbox.drain() }
}
