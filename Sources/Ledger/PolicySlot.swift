internal import Domain

/// The rules that one thread of the ledger goes by. That thread alone replaces them, between two commands, so that no
/// command sees two sets of rules.
final class PolicySlot {
    var policy: AccessPolicy

    init(_ policy: AccessPolicy) {
        self.policy = policy
    }
}
