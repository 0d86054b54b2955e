internal import Domain

/// Identifiers that StoreKit testing in Xcode numbers in its own way.
///
/// Each simulator counts its purchases from 0, and begins again when they are deleted in Xcode. Nor can `appTransactionId`
/// be trusted to tell buyers apart there, so it is not kept: two users of one simulator would become one account.
extension AppleTransaction {
    var isOfXcode: Bool { environment == StoreEnvironment.xcode.rawValue }

    /// A number of Xcode's is unique only together with the date of the first purchase.
    var lineage: String {
        guard isOfXcode else { return originalTransactionId }
        return "\(originalTransactionId)@\((originallyPurchasedAt ?? purchasedAt).milliseconds)"
    }

    /// The scope within which `transactionId` is unique; Apple's ids are unique everywhere.
    var scope: String {
        guard isOfXcode else { return "" }
        return "Xcode/\(bundleId ?? "")/\(lineage)/"
    }
}
