public import Domain

/// What runs with the result, once, on one of the ledger's threads. It must not block.
public typealias LedgerAnswer<Value> = @Sendable (Result<Value, LedgerError>) -> Void

/// One thing to commit. A completion runs once, on the writer's thread, after the commit. It must not block.
public enum LedgerCommand: Sendable {
    /// `claim` names the user who posted the event, when it was not the store.
    case event(Event, claim: Claim? = nil, receivedAt: Instant, completion: LedgerAnswer<CommitResult>)
    case order(OrderRequest, completion: @Sendable (Result<OrderResult, OrderError>) -> Void)
    /// Remembers how a user reads from now on.
    case locale(UserLocale, of: UserID, completion: LedgerAnswer<Void>)
    /// Commits one entry for each fragment, in their order.
    case broadcast([Fragment], completion: LedgerAnswer<[Cursor]>)
    /// Commits one entry for each fragment, once: a request that was already committed under its key gets the same answer
    /// as then.
    case broadcastOnce([Fragment], KeyedRequest, completion: LedgerAnswer<KeyedBroadcast>)
    /// Records that until now an app may have broadcast something that did not arrive. Pages that have seen nothing
    /// newer reload.
    case broadcastsLost(completion: LedgerAnswer<Cursor>)
    /// Ends a user's open pages: names of the user's stream that were signed before are refused from now on.
    case endPages(of: UserID, completion: LedgerAnswer<EndedPagesResult>)
    /// Records the result of a job. The completion gets false when that was not committed.
    case job(Int64, JobResult, completion: @Sendable (Bool) -> Void)
    /// Answers what a store asks about the refund of a transaction.
    case answerRefund(of: String, at: Provider, String, completion: LedgerAnswer<RefundAnswered>)
    /// Records what an address answered to messages, in their order. If that `endsOutage`, those that failed meanwhile are due
    /// now. The completion gets false when that was not committed.
    case hooks([AnsweredHook], endsOutage: Bool, completion: @Sendable (Bool) -> Void)
    /// Sends a message to the backend once more. The completion gets false when that was not committed.
    case resendHook(Int64, completion: @Sendable (Bool) -> Void)
    /// Settings that were just read name these addresses of the backend. What has waited too long for others is erased.
    case nameHooks([String], completion: @Sendable (Bool) -> Void)
    /// Remembers an instant under a name, such as how far a recovery has come. The completion gets false when that was
    /// not committed.
    case saveCheckpoint(String, Instant, completion: @Sendable (Bool) -> Void)
    /// Applies stored events once more. With `isTrial`, it reports what that would change, and changes nothing.
    case replay(ReplayBatch, isTrial: Bool, completion: LedgerAnswer<ReplayReport>)
    /// Sends both page elements again to these users and to everyone who holds one of these contracts. The completion
    /// gets all of these users.
    case rebroadcast(contracts: [Int64], users: [UserID], completion: LedgerAnswer<[UserID]>)
    /// One step that tells users what another catalog opens for them; nil begins. Submit it with what the completion gets until
    /// that is nil.
    case tellCatalog(after: Int64?, completion: LedgerAnswer<Int64?>)
    /// One step of an erasure; submit it until it is done. The last step's completion runs when nothing of the user is
    /// left in the journal either.
    case erase(UserID, completion: LedgerAnswer<ErasureStep>)
    /// One step that empties bodies and fragments from before an instant; submit it until the completion gets true.
    case emptyOld(before: Instant, completion: LedgerAnswer<Bool>)
    /// Work of one node for all, under its lease. Refused as busy, in the same transaction, once another node has it.
    indirect case led(LedgerCommand, under: Lease)
    /// The command, and with it the entry that says who is behind it, unless the command changes nothing.
    indirect case audited(LedgerCommand, by: Act)
    /// Refused as changed, in the same transaction, if something has happened to the user after this position.
    indirect case unchanged(UserID, since: Int64, LedgerCommand)
    /// An entry for what changes nothing in the ledger, such as reading.
    case note(Act, completion: LedgerAnswer<Void>)
    /// Later commands follow this policy. There is nothing to commit, and it cannot fail.
    case policy(AccessPolicy)
}

extension LedgerCommand {
    /// With its event's body as it is stored.
    func packed() -> LedgerCommand {
        switch self {
        case .event(let event, let claim, let receivedAt, let completion):
            .event(event.packed(), claim: claim, receivedAt: receivedAt, completion: completion)
        case .led(let command, let lease): .led(command.packed(), under: lease)
        case .audited(let command, let act): .audited(command.packed(), by: act)
        case .unchanged(let user, let position, let command): .unchanged(user, since: position, command.packed())
        default: self
        }
    }
}

extension LedgerCommand {
    /// Nil leaves it without an entry.
    public func audited(by act: Act?) -> LedgerCommand { act.map { .audited(self, by: $0) } ?? self }
}

public enum OrderError: Error, Equatable, CustomStringConvertible {
    /// The token is bound to another user.
    case tokenTaken
    case ledger(LedgerError)

    public var description: String {
        switch self {
        case .tokenTaken: "the token belongs to another user's order; mint a new one"
        case .ledger(let error): error.description
        }
    }
}
