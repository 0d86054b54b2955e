public import Domain
internal import Synchronization

/// Carries from the ledger's writer to the reconciler which contracts' access has ended because their time was over.
public final class AccessEnds: Sendable {
    /// What finds no room is not logged, and nothing else.
    private static let capacity = 10_000

    /// Of the stores that somebody has asked for.
    private let notices = Mutex<[Provider: [Notice]]>([:])

    public init() {}

    /// On the writer's thread, after the commit.
    public func committed(_ entries: [Entry]) {
        for entry in entries where entry.notice.kind == .accessEnded {
            guard let provider = entry.notice.provider else { continue }
            notices.withLock { notices in
                guard let count = notices[provider]?.count, count < AccessEnds.capacity else { return }
                notices[provider]?.append(entry.notice)
            }
        }
    }

    /// What has ended since the last time.
    func take(of provider: Provider) -> [Notice] {
        notices.withLock { $0.updateValue([], forKey: provider) } ?? []
    }
}
