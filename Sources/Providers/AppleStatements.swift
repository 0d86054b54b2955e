public import Domain

/// Apple's own statements of everything that was bought behind one transaction id: the App Store Server API. It blocks.
public protocol AppleStatements: Sendable {
    /// Proven events, oldest first, to be committed like a webhook's.
    func statements(
        behind transactionID: String,
        in environment: StoreEnvironment,
        now: Instant
    ) throws(AppleStatementsError) -> [Event]
}

public enum AppleStatementsError: Error, Equatable {
    /// No answer, or one that cannot be used. It may be there the next time.
    case unreachable
    /// Apple knows no such transaction in this environment.
    case unknownTransaction
}
