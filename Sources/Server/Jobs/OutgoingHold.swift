import Ledger
import Support
import Synchronization

/// Keeps back what goes out of a ledger that is not at home: messages to the backend, forwards, and what stores are told. It
/// looks every few seconds whether an operator has released the ledger.
final class OutgoingHold: BackgroundWork {
    private static let interval = Duration.seconds(3)
    private static let sentence =
        "this ledger was restored, copied or moved here, so nothing goes out: messages to the backend, forwards and what "
        + "stores are to be told wait; leave it so while the original runs, and if this one takes its place, stop that one "
        + "first and run “paycast release”"

    let routine = Routine()
    private let held: Atomic<Bool>
    private let claim: @Sendable () throws -> Bool
    private let log: Log

    /// `claim` asks the ledger whether it is at home here.
    init(isHeld: Bool, log: Log, claim: @escaping @Sendable () throws -> Bool) {
        held = Atomic(isHeld)
        self.log = log
        self.claim = claim
    }

    /// Once false, it stays so.
    var isHeld: Bool { held.load(ordering: .relaxed) }

    /// For `/ready`.
    var warnings: [String] { isHeld ? ["ledger: \(OutgoingHold.sentence)"] : [] }

    func start() {
        guard isHeld else { return }
        log.warning("outgoing held", fields: ["reason": OutgoingHold.sentence])
        routine.start("home", state: ()) { [self] _ in
            // A ledger that does not answer is told elsewhere.
            if isHeld, (try? claim()) == true {
                held.store(false, ordering: .relaxed)
                log.info("outgoing released")
            }
            return isHeld ? OutgoingHold.interval : .seconds(86_400)
        }
    }
}
