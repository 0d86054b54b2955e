public import AppleStore

/// What the routes work with to which apps bring what Apple gave them.
public struct AppleServices: Sendable {
    let transactions: AppleVerifier
    let receipts: AppleReceiptVerifier
    /// Nil without a key of the App Store Server API: receipts are then judged by what they say themselves.
    let statements: (any AppleStatements)?

    public init(transactions: AppleVerifier, receipts: AppleReceiptVerifier, statements: (any AppleStatements)?) {
        self.transactions = transactions
        self.receipts = receipts
        self.statements = statements
    }
}
