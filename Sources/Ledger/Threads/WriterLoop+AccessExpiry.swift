internal import Concurrency
internal import Domain
internal import LedgerSQL

/// Access ends at its time without a webhook: the writer sleeps until then.
extension WriterLoop {
    func timeToNextEnd() -> Duration? {
        guard let end = try? store.nextEnd() else { return nil }
        let now = clock.now()
        // An hour at most, because the system's clock may be set.
        return end <= now ? .zero : min(.milliseconds(end.milliseconds - now.milliseconds), .seconds(3600))
    }

    func isEndDue() -> Bool {
        guard let end = try? store.nextEnd() else { return false }
        return end <= clock.now()
    }
}
