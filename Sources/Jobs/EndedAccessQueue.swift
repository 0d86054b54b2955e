public import Domain
internal import Synchronization

/// Passes contracts whose access has ended because their time was over from the ledger's writer to the renewal checker.
public final class EndedAccessQueue: Sendable {
    /// An end that finds no room is not logged; nothing else is lost.
    private static let capacity = 10_000

    /// Only stores that the renewal checker has asked about have a list.
    private let notices = Mutex<[Provider: [Notice]]>([:])

    public init() {}

    /// Called on the writer's thread, after the commit.
    public func committed(_ entries: [Entry]) {
        for entry in entries where entry.notice.kind == .accessEnded {
            guard let provider = entry.notice.provider else { continue }
            notices.withLock { notices in
                guard let count = notices[provider]?.count, count < EndedAccessQueue.capacity else { return }
                notices[provider]?.append(entry.notice)
            }
        }
    }

    /// The ends since the last call.
    func take(of provider: Provider) -> [Notice] {
        notices.withLock { $0.updateValue([], forKey: provider) } ?? []
    }
}
