import Ledger
import Support
import Synchronization

/// The lease under which a node commits what it reads from the app's cable database, and records losses of Rails'
/// broadcasts.
///
/// Any thread may use it. `takesOver` belongs to the thread that reads the database.
final class RailsBroadcastLease: Sendable {
    private struct Loss {
        var lease: Lease
        /// Counts losses: one that is found while an earlier one is being recorded is another one.
        var number: Int
        /// What to do when it cannot be recorded at once.
        var onFirstFailure: (@Sendable () -> Void)?
    }

    private struct State {
        /// The lease under which this node has begun to read at the table's head.
        var begun: Lease?
        /// Losses that are not recorded yet.
        var loss: Loss?
        var isRecording = false
        var count = 0
    }

    private let leaderLease: LeaderLease
    private let submit: @Sendable (LedgerCommand) -> Bool
    private let state = Mutex(State())

    /// `submit` returns false when the ledger has no room.
    init(leaderLease: LeaderLease, submit: @escaping @Sendable (LedgerCommand) -> Bool) {
        self.leaderLease = leaderLease
        self.submit = submit
    }

    /// True once for each time that this node gets the lead: the rows that it has not read yet may have been committed by
    /// another node, so it must begin at the table's head.
    func takesOver() -> Bool {
        let lease = leaderLease.lease
        return state.withLock { state in
            defer { state.begun = lease }
            return lease != nil && lease != state.begun
        }
    }

    /// The lease under which what was read may be committed; nil when that is another node's work.
    func lease() -> Lease? {
        let lease = leaderLease.lease
        return state.withLock { state in
            if state.begun != lease { state.begun = nil }
            return state.begun
        }
    }

    /// Records a loss, again at each `retry` until it is committed or another node leads, which records its own.
    /// `onFirstFailure` runs on any thread when the ledger does not take it at once.
    func recordLoss(under lease: Lease, onFirstFailure: (@Sendable () -> Void)? = nil) {
        state.withLock { state in
            state.count += 1
            state.loss = Loss(lease: lease, number: state.count, onFirstFailure: onFirstFailure)
        }
        retry()
    }

    /// Call it now and then.
    func retry() {
        let held = leaderLease.lease
        let loss: Loss? = state.withLock { state in
            if state.loss?.lease != held { state.loss = nil }
            guard let loss = state.loss, !state.isRecording else { return nil }
            state.isRecording = true
            return loss
        }
        guard let loss else { return }
        let command = LedgerCommand.broadcastsLost { [self] result in
            if case .success = result { recorded(loss) } else { failed(loss) }
        }
        if !submit(.led(command, under: loss.lease)) { failed(loss) }
    }

    private func recorded(_ loss: Loss) {
        let hasMore = state.withLock { state in
            state.isRecording = false
            if state.loss?.number == loss.number { state.loss = nil }
            return state.loss != nil
        }
        if hasMore { retry() }
    }

    private func failed(_ loss: Loss) {
        state.withLock { state in
            state.isRecording = false
            state.loss?.onFirstFailure = nil
        }
        loss.onFirstFailure?()
    }
}
