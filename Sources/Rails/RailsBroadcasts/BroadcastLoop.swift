internal import Support
internal import Synchronization

/// The listener's thread: from the source to the ledger.
final class BroadcastLoop {
    private let ports: ListenerPorts
    private let source: any BroadcastSource
    private let receiver: BroadcastReceiver
    private let takesOver: @Sendable () -> Bool

    init(
        _ ports: ListenerPorts,
        source: any BroadcastSource,
        takesOver: @escaping @Sendable () -> Bool,
        heal: @escaping HealBroadcasts
    ) {
        self.ports = ports
        self.source = source
        self.takesOver = takesOver
        receiver = BroadcastReceiver(ports, heal: heal)
    }

    /// Returns when the mailbox has been closed.
    func run() {
        while !ports.broadcasts.mailbox.isClosed {
            receiver.takeCommitments()
            if takesOver() {
                receiver.delivery.drop()
                source.startOver(receiver)
            }
            source.receive(receiver)
            receiver.delivery.submit(at: receiver.now)
            publishProblem()
            let next = min(source.next, receiver.delivery.retry ?? .seconds(Int64.max))
            // Round up: a poll that ends too early would only be repeated.
            let timeout = max(.zero, next - receiver.now) + .milliseconds(1)
            source.wait(for: ports.broadcasts.bell, timeout: timeout, receiver: receiver)
        }
        receiver.delivery.submitRest()
    }

    private func publishProblem() {
        let isStuck = receiver.delivery.isStuck(at: receiver.now, patience: ports.patience)
        let problem = source.problem
        ports.counts.connected.set(problem == nil ? 1 : 0)
        ports.warning.withLock { $0 = source.warning }
        ports.problem.withLock { $0 = problem ?? (isStuck ? BroadcastLoop.ledgerProblem : nil) }
    }

    /// Broadcasts arrive and cannot be committed.
    private static let ledgerProblem =
        "broadcasts are waiting, because the ledger does not accept them; see what is wrong with it"
}
