internal import Domain

/// The policy that one thread of the ledger follows. Only that thread replaces it, between two commands, so that no
/// command sees two policies.
final class PolicySlot {
    var policy: AccessPolicy

    init(_ policy: AccessPolicy) {
        self.policy = policy
    }
}
