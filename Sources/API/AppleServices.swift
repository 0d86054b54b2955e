public import AppleStore

/// What the routes need to read the transactions and receipts that apps post.
public struct AppleServices: Sendable {
    let transactions: AppleVerifier
    let receipts: AppleReceiptVerifier
    /// Nil without a key for the App Store Server API: a receipt is then judged by its own content.
    let lookup: AppleLookup?

    public init(transactions: AppleVerifier, receipts: AppleReceiptVerifier, lookup: AppleLookup?) {
        self.transactions = transactions
        self.receipts = receipts
        self.lookup = lookup
    }
}
