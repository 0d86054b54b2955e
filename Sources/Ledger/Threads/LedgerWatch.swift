import Domain
public import Support

/// Watches the ledger from outside its writer, once a second and whenever it is asked. It checks whether the ledger
/// commits and answers, and whether its files are as they should be. What it finds is in the writer's `health`.
public final class LedgerWatch: Sendable {
    /// How long a commit or an answer may take before it counts as missing.
    private static let patience = Duration.seconds(2)
    /// A load balancer that asks has seldom more than a second.
    private static let checkPatience = Duration.milliseconds(500)
    private var delay: String {
        let todo =
            files == nil ? "check PostgreSQL's log and pg_stat_activity" : "check the disk with iostat -x 1 and dmesg"
        return "\(LedgerWatch.patience.components.seconds) seconds: \(todo)"
    }
    /// A transaction that is no older proves that commits work.
    private static let fresh: UInt64 = 1_000_000_000

    private let writer: LedgerWriter
    private let reader: LedgerReader
    private let files: LedgerFilesWatch?
    private let clock: Clock
    private let mailbox: Mailbox<@Sendable () -> Void>
    private let waker = Waker()
    private let thread = OwnedThread()
    /// Who waits for the content of the files to be read, on a thread of its own: a large ledger takes minutes.
    private let checks: Mailbox<Promise<Void>>
    private let checkWaker = Waker()
    private let checkThread = OwnedThread()

    /// Close it before `writer` and `reader`. `files` is nil for a ledger that another server keeps.
    public init(writer: LedgerWriter, reader: LedgerReader, files: LedgerFilesWatch?, clock: Clock) {
        self.writer = writer
        self.reader = reader
        self.files = files
        self.clock = clock
        mailbox = Mailbox(capacity: 1000) { [waker] in waker.wake() }
        checks = Mailbox(capacity: 1000) { [checkWaker] in checkWaker.wake() }
        thread.start("ledger-watch") { [self] in run() }
        if let files { checkThread.start("ledger-check") { [self] in runChecks(of: files) } }
    }

    /// Checks, and then calls `done` on the watch's thread. Returns false when too many ask, or when the watch is
    /// closed.
    public func ask(_ done: @escaping @Sendable () -> Void) -> Bool { mailbox.send(done) }

    public func close() {
        mailbox.close()
        checks.close()
        files?.content.stop()
        thread.join()
        checkThread.join()
    }

    private func run() {
        while !mailbox.isClosed {
            let waiting = mailbox.drain()
            look(isAsked: !waiting.isEmpty)
            if !waiting.isEmpty { awaitCheck() }
            for done in waiting { done() }
            if mailbox.count == 0 { waker.wait(timeout: .seconds(1)) }
        }
        for done in mailbox.drain() { done() }
    }

    /// A small ledger is read for those who ask. Of a large one, they are told the last result.
    private func awaitCheck() {
        let end = Promise<Void>()
        guard let files, files.content.isQuick, checks.send(end) else { return }
        _ = end.wait(timeout: LedgerWatch.checkPatience)
    }

    private func runChecks(of files: LedgerFilesWatch) {
        while !checks.isClosed {
            let waiting = checks.drain()
            files.examine(isAsked: !waiting.isEmpty)
            for end in waiting { end.fulfil(()) }
            if checks.count == 0 { checkWaker.wait(timeout: .seconds(1)) }
        }
    }

    private var health: LedgerHealth { writer.health }

    private func look(isAsked: Bool) {
        files?.look()
        let isTroubled = health.isTroubled(.commit) || health.isTroubled(.read)
        guard isAsked || isTroubled else { return }
        if isTroubled || health.idleNanoseconds(now: monotonicNanoseconds()) > LedgerWatch.fresh { commit() }
        read()
    }

    /// The writer itself reports how the commit went, but it cannot report that it never came to it.
    private func commit() {
        let answer = Promise<Bool>()
        let isTaken = writer.submit(.saveCheckpoint("watch", clock.now()) { answer.fulfil($0) })
        if !isTaken || answer.wait(timeout: LedgerWatch.patience) == nil {
            health.report(.commit, problem: "nothing has been committed for \(delay)")
        }
    }

    private func read() {
        let answer = Promise<Result<Cursor, LedgerError>>()
        let isTaken = reader.ask({ try $0.head() }) { answer.fulfil($0) }
        switch isTaken ? answer.wait(timeout: LedgerWatch.patience) : nil {
        case .success: health.report(.read, problem: nil)
        case .failure(let error): health.report(.read, problem: "it cannot be read: \(error)", outage: error.outage)
        case nil:
            health.report(.read, problem: "no query has been answered for \(delay)")
        }
    }
}

/// Looks at the files of a ledger: whether they are where they were, whether they hold what was written, and how much
/// room is left. The watch's thread calls `look`, and another one of the watch `examine`.
public struct LedgerFilesWatch: Sendable {
    private let path: String
    private let lock: LedgerLock?
    private let place: LedgerFileIdentity
    let content: ContentCheck
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
}
