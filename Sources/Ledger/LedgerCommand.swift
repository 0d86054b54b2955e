public import Domain

/// One thing to commit. A completion runs once, on the writer's thread, after the commit. It must not block.
public enum LedgerCommand: Sendable {
    /// `claim` names the user who posted the event, when it was not the store.
    case event(
        Event,
        claim: Claim? = nil,
        receivedAt: Instant,
        completion: @Sendable (Result<CommitResult, LedgerError>) -> Void
    )
    case order(OrderRequest, completion: @Sendable (Result<OrderResult, OrderError>) -> Void)
    /// Sets the language that a user reads from now on.
    case language(LanguageTag, of: UserID, completion: @Sendable (Result<Void, LedgerError>) -> Void)
    /// Commits one entry for each fragment, in their order.
    case broadcast([Fragment], completion: @Sendable (Result<[Cursor], LedgerError>) -> Void)
    /// The same, but only once: a request that was already committed under its key gets the same answer as then.
    case broadcastOnce(
        [Fragment],
        KeyedRequest,
        completion: @Sendable (Result<KeyedBroadcast, LedgerError>) -> Void
    )
    /// Records that until now an app may have broadcast something that did not arrive. Pages that have seen nothing
    /// newer reload.
    case broadcastsLost(completion: @Sendable (Result<Cursor, LedgerError>) -> Void)
    /// Records the result of a job. The completion gets false when that was not committed.
    case job(Int64, JobResult, completion: @Sendable (Bool) -> Void)
    /// Remembers an instant under a name, such as how far a recovery has come. The completion gets false when that was
    /// not committed.
    case saveCheckpoint(String, Instant, completion: @Sendable (Bool) -> Void)
    /// Applies stored events once more. With `isTrial`, it reports what that would change, and changes nothing.
    case replay(ReplayBatch, isTrial: Bool, completion: @Sendable (Result<ReplayReport, LedgerError>) -> Void)
    /// Sends both page elements again to these users and to everyone who holds one of these contracts. The completion
    /// gets all of these users.
    case rebroadcast(contracts: [Int64], users: [UserID], completion: @Sendable (Result<[UserID], LedgerError>) -> Void)
    /// Later commands follow this policy. There is nothing to commit, and it cannot fail.
    case policy(AccessPolicy)
}

/// A user who posts a genuine transaction while signed in has a reason to hold the contract.
public struct Claim: Sendable, Equatable {
    public var user: UserID
    /// The order that the app sends along with the claim.
    public var order: OrderToken?

    public init(user: UserID, order: OrderToken? = nil) {
        self.user = user
        self.order = order
    }
}

/// The result of a claim.
public enum ClaimOutcome: Sendable, Equatable {
    /// The contract is the claimant's: nobody else held it, or the claimant already did.
    case granted
    /// The contract moved to the claimant; it was another user's until now.
    case moved
    /// Another user holds the contract as well.
    case shared
    /// The contract stays another user's; the event was committed all the same.
    case refused
}

public enum JobResult: Sendable, Equatable {
    case done
    case retry(at: Instant, reason: String)
    /// No attempt can succeed any more. The job is kept for a month, for the operator.
    case abandoned(reason: String)
}

/// The answer to the store.
public struct CommitResult: Sendable, Equatable {
    public var outcome: Outcome
    /// The store's event id.
    public var event: String
    /// Where the event was committed; for a duplicate, where the first one was.
    public var cursor: Cursor
    /// The result of the claim that came with it.
    public var claim: ClaimOutcome?

    public init(outcome: Outcome, event: String, cursor: Cursor, claim: ClaimOutcome? = nil) {
        self.outcome = outcome
        self.event = event
        self.cursor = cursor
        self.claim = claim
    }
}

/// Who is about to buy what. `token` binds a UUID that the app generated itself.
public struct OrderRequest: Sendable, Equatable {
    public var user: UserID
    public var product: String
    public var provider: Provider?
    public var group: String?
    public var kind: ProductKind?
    public var token: OrderToken?
    /// The language that the user reads; nil says nothing about it.
    public var language: LanguageTag?

    public init(
        user: UserID,
        product: String,
        provider: Provider? = nil,
        group: String? = nil,
        kind: ProductKind? = nil,
        token: OrderToken? = nil,
        language: LanguageTag? = nil
    ) {
        self.user = user
        self.product = product
        self.provider = provider
        self.group = group
        self.kind = kind
        self.token = token
        self.language = language
    }
}

public struct OrderResult: Sendable, Equatable {
    public var order: Order
    /// A page that resumes from here misses nothing of this purchase.
    public var since: Cursor
    /// False when the same request had been made before.
    public var isNew: Bool

    public init(order: Order, since: Cursor, isNew: Bool) {
        self.order = order
        self.since = since
        self.isNew = isNew
    }
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
