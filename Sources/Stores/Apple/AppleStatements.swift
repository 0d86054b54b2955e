public import Domain

/// Apple's own statements of everything that was bought behind one transaction id: the App Store Server API. It blocks.
public protocol AppleStatements: Sendable {
    /// Proven events, to be committed like a webhook's.
    func statements(behind clue: ReceiptClue, now: Instant) throws(AppleStatementsError) -> [Event]
}

public enum AppleStatementsError: Error, Equatable {
    /// No answer, or one that cannot be used. It may be there the next time.
    case unreachable(reason: String)
    /// Apple knows no such transaction.
    case unknownTransaction
}
