public import Support

/// Looks at the files of a ledger: whether they are where they were, whether they hold what was written, and how much
/// room is left. Used by the watch's thread; only `stop` may be called from others.
public struct LedgerFilesWatch: Sendable {
    private let path: String
    private let lock: LedgerLock?
    private let place: LedgerFileIdentity
    private let content: ContentCheck
    private let health: LedgerHealth
    private let freeBytes: Gauge

    /// Make it after the writer, whose files it looks at. `lock` is this process's own.
    public init(path: String, lock: LedgerLock?, writer: LedgerWriter, metrics: Metrics) {
        self.path = path
        self.lock = lock
        place = LedgerFileIdentity(path)
        content = ContentCheck(path: path, epoch: writer.epoch)
        health = writer.health
        freeBytes = metrics.gauge(.ledgerDiskFree)
    }

    func look() {
        health.report(.files, problem: place.problem)
        health.report(.lock, problem: lock?.problem)
        // The folder is asked, because the file may be gone.
        guard let free = LedgerFile.freeBytes(in: LedgerFile.folder(of: path)) else { return }
        freeBytes.set(free)
        let isFull = free < LedgerFile.leastFreeBytes
        health.report(.disk, problem: isFull ? "its disk has \(free) bytes left: make room" : nil)
    }

    /// True when the content is read in a time that one may wait for.
    var isQuick: Bool { content.isQuick }

    func examine(isAsked: Bool) {
        // Opening files that are not ours would create a journal beside them.
        guard !health.isTroubled(.files), content.isDue(isAsked: isAsked, now: monotonicNanoseconds()) else { return }
        switch content.run() {
        case .whole: health.report(.content, problem: nil)
        case .damaged(let problem): health.report(.content, problem: problem)
        // This says nothing about the content, only that it could not be read.
        case .unknown: break
        }
    }

    func stop() { content.stop() }
}
