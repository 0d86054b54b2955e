public import Domain
import Support
import Synchronization

/// Receives what a Rails app broadcasts, on a thread of its own, and submits it to the ledger.
///
/// A source that keeps nothing for a listener that is away notices outages; after each, and after the start, `heal` makes
/// up for what may have been lost.
public final class BroadcastListener: Sendable {
    let source: BroadcastSourceName
    let channels: RailsChannels
    let patience: Duration
    let log: Log
    let counts: BroadcastCounts
    let submit: SubmitBroadcasts
    /// The result of the submitted batch. Closing the mailbox ends the thread.
    let mailbox: Mailbox<BroadcastCommit>
    let bell: EventDescriptor
    /// Only the listener's thread writes it.
    let state = Mutex<(problem: String?, warning: String?)>((startingProblem, nil))
    private let makeSource: @Sendable () -> any BroadcastSource
    private let thread = OwnedThread()

    /// Returns nil when the process has run out of descriptors. `makeSource` runs on the listener's thread; `prefix` is the
    /// `channel_prefix` of `config/cable.yml`, and `patience` how long the ledger may refuse broadcasts before that is a
    /// problem.
    init?(
        _ source: BroadcastSourceName,
        prefix: String?,
        patience: Duration,
        log: Log,
        counts: BroadcastCounts,
        submit: @escaping SubmitBroadcasts,
        makeSource: @escaping @Sendable () -> any BroadcastSource
    ) {
        guard let bell = EventDescriptor() else { return nil }
        self.source = source
        channels = RailsChannels(prefix: prefix)
        self.patience = patience
        self.log = log
        self.counts = counts
        self.submit = submit
        mailbox = Mailbox(capacity: 1) { bell.wake() }
        self.bell = bell
        self.makeSource = makeSource
    }

    /// Begins to listen, and waits for a source that is not there yet. `heal` runs on the listener's thread, once after
    /// each gap, as soon as broadcasts arrive again. `takesOver` runs there too, before each turn: if it returns true,
    /// another node may have submitted what was not read yet, so reading starts over, with a gap. While `pagesKeepUp` is false,
    /// it reads and submits nothing. Call it once only.
    public func start(
        takesOver: @escaping @Sendable () -> Bool = { false },
        pagesKeepUp: @escaping @Sendable () -> Bool = { true },
        heal: @escaping HealBroadcasts
    ) {
        thread.start(source.name) { [self] in
            BroadcastReceiver(self, heal: heal).run(makeSource, takesOver: takesOver, pagesKeepUp: pagesKeepUp)
        }
    }

    /// Why broadcasts do not arrive, as one sentence for `/ready`; empty when they do.
    public var problems: [String] {
        state.withLock { $0.problem }.map { ["\(source.name): \($0)"] } ?? []
    }

    /// A warning for `/ready` that does not mean that broadcasts are missing.
    public var warnings: [String] {
        state.withLock { $0.warning }.map { ["\(source.name): \($0)"] } ?? []
    }

    /// Makes the source look for what is new, from any thread.
    public func wake() { bell.wake() }

    /// Submits what was received to the ledger and ends the thread. Call it before the ledger closes.
    public func close() {
        mailbox.close()
        thread.join()
    }
}

/// The state that every source reports until it knows more.
let startingProblem = "the connection is not up yet; ask again in a few seconds"

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
