public import Concurrency
internal import Domain
public import LedgerFiles
internal import LedgerInterface
public import Observability
internal import SQLiteLedger
internal import Synchronization

/// Watches the ledger from outside its writer, once a second and whenever it is asked. It checks whether the ledger
/// commits and answers, whether its files are where they were, and whether they hold what was written. What it finds is
/// in the writer's `health`.
public final class LedgerWatch: Sendable {
    /// How long a commit or an answer may take before it counts as missing.
    private static let patience = Duration.seconds(2)
    private static let delay = "\(patience.components.seconds) seconds: check the disk with iostat -x 1 and dmesg"
    /// A transaction that is no older proves that commits work.
    private static let fresh: UInt64 = 1_000_000_000

    private let path: String
    private let writer: LedgerWriter
    private let reader: LedgerReader
    private let lock: LedgerLock?
    private let clock: Clock
    private let freeBytes: Gauge
    private let mailbox: Mailbox<@Sendable () -> Void>
    private let waker = Waker()
    private let thread = Mutex<WorkerThread?>(nil)
    private let content: ContentCheck
    private let place: LedgerFileIdentity

    /// Close it before `writer` and `reader`. `lock` is this process's own.
    public init(
        path: String,
        writer: LedgerWriter,
        reader: LedgerReader,
        lock: LedgerLock?,
        clock: Clock,
        metrics: Metrics
    ) {
        self.path = path
        self.writer = writer
        self.reader = reader
        self.lock = lock
        self.clock = clock
        freeBytes = metrics.gauge("paycast_ledger_disk_free_bytes", help: "Room that is left on the ledger's disk.")
        mailbox = Mailbox(capacity: 1000) { [waker] in waker.wake() }
        place = LedgerFileIdentity(path)
        content = ContentCheck(path: path, epoch: writer.epoch)
        let worker = WorkerThread(name: "ledger-watch") { [self] in run() }
        thread.withLock { $0 = worker }
    }

    /// Checks, and then calls `done` on the watch's thread. Returns false when too many ask, or when the watch is
    /// closed.
    public func ask(_ done: @escaping @Sendable () -> Void) -> Bool { mailbox.send(done) }

    public func close() {
        mailbox.close()
        content.stop()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        running?.join()
    }

    private func run() {
        while !mailbox.isClosed {
            let waiting = mailbox.drain()
            look(isAsked: !waiting.isEmpty)
            // Reading a large ledger takes minutes, so those who ask are told the last result.
            if content.isQuick { examine(isAsked: !waiting.isEmpty) }
            for done in waiting { done() }
            if !content.isQuick { examine(isAsked: false) }
            if mailbox.count == 0 { waker.wait(timeout: .seconds(1)) }
        }
        for done in mailbox.drain() { done() }
    }

    private var health: LedgerHealth { writer.health }

    private func look(isAsked: Bool) {
        health.report(.files, problem: place.problem)
        health.report(.lock, problem: lock?.problem)
        lookAtDisk()
        let isTroubled = health.isTroubled(.commit) || health.isTroubled(.read)
        guard isAsked || isTroubled else { return }
        if isTroubled || health.idleNanoseconds(now: monotonicNanoseconds()) > LedgerWatch.fresh { commit() }
        read()
    }

    private func lookAtDisk() {
        // The folder is asked, because the file may be gone.
        guard let free = LedgerFile.freeBytes(in: LedgerFile.folder(of: path)) else { return }
        freeBytes.set(free)
        let isFull = free < LedgerFile.leastFreeBytes
        health.report(.disk, problem: isFull ? "its disk has \(free) bytes left: make room" : nil)
    }

    /// The writer itself reports how the commit went, but it cannot report that it never came to it.
    private func commit() {
        let answer = Promise<Bool>()
        let isTaken = writer.submit(.saveCheckpoint(LedgerWatch.mark, clock.now()) { answer.fulfil($0) })
        if !isTaken || answer.wait(timeout: LedgerWatch.patience) == nil {
            health.report(.commit, problem: "nothing has been committed for \(LedgerWatch.delay)")
        }
    }

    private static let mark = "watch"

    private func read() {
        let answer = Promise<Result<Cursor, LedgerError>>()
        let isTaken = reader.head { answer.fulfil($0) }
        switch isTaken ? answer.wait(timeout: LedgerWatch.patience) : nil {
        case .success: health.report(.read, problem: nil)
        case .failure(let error): health.report(.read, problem: "it cannot be read: \(error)")
        case nil:
            health.report(.read, problem: "no query has been answered for \(LedgerWatch.delay)")
        }
    }

    private func examine(isAsked: Bool) {
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
