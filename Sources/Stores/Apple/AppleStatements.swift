public import Domain

/// Apple's own statements about everything that the buyer behind one transaction id has bought, from the App Store
/// Server API. Blocks.
public protocol AppleStatements: Sendable {
    /// Verified events, to be committed like a webhook's.
    func statements(behind clue: ReceiptClue, now: Instant) throws(AppleStatementsError) -> [Event]
}

public enum AppleStatementsError: Error, Equatable {
    /// No answer, or an unusable one. A retry may succeed.
    case unreachable(reason: String)
    /// Apple knows no such transaction.
    case unknownTransaction
}
