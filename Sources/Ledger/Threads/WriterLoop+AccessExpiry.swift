internal import Concurrency
internal import Domain
internal import LedgerSQL

/// Access ends at its time without a webhook: the writer sleeps until then.
extension WriterLoop {
    /// An hour at most, because the system's clock may be set. Of what other nodes commit, nobody tells this thread.
    func timeToNextEnd() -> Duration? {
        guard let end = try? repository.nextEnd() else { return repository.isShared ? WriterLoop.sharedSleep : nil }
        let now = clock.now()
        let most = repository.isShared ? WriterLoop.sharedSleep : .seconds(3600)
        return end <= now ? .zero : min(.milliseconds(end.milliseconds - now.milliseconds), most)
    }

    private static let sharedSleep = Duration.seconds(5)

    func isEndDue() -> Bool {
        guard let end = try? repository.nextEnd() else { return false }
        return end <= clock.now()
    }
}
