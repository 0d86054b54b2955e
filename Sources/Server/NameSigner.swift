import Crypto
import Ledger
import Support
import Synchronization

/// Chooses the key that signs stream names: the first one of this node's that every other node verifies.
///
/// While keys are rotated on one node after the other, the first node has a key that the others do not know yet. What it signed
/// with that, they would refuse, and an `EventSource` that is refused does not come back.
final class NameSigner: Sendable {
    private struct State {
        /// Nil while this node has no key.
        var verifier: StreamNameVerifier?
        var keys: [(setting: String, digest: String)] = []
        var index = 0
    }

    private let state = Mutex(State())
    private let log: Log

    init(_ log: Log) { self.log = log }

    /// Takes the keys of a start or a reload, before anything is signed with them. `report` is nil for a ledger in a file.
    func adopt(_ verifier: StreamNameVerifier?, of settings: SharedSettings?, among report: SharedLedgerReport?) {
        state.withLock { $0 = State(verifier: verifier, keys: settings?.nameKeys ?? []) }
        if let report { look(at: report) }
    }

    func look(at report: SharedLedgerReport) {
        let changed: String? = state.withLock { state in
            guard state.keys.count > 1 else { return nil }
            // When nodes have no key in common, no choice helps.
            let index = report.firstOfAll(state.keys) ?? 0
            guard index != state.index else { return nil }
            state.index = index
            state.verifier?.sign(with: index)
            let place = state.keys[...index].count { $0.setting == state.keys[index].setting }
            return "item \(place) of \(state.keys[index].setting)"
        }
        guard let changed else { return }
        log.info("stream names signed", fields: ["with": changed, "because": "it is the first that all nodes verify"])
    }
}
