public import Domain
import Encoding

/// What customers have in hand: a receipt's order ID, or a renewal's transaction id.
extension AppleServerAPI {
    /// `M`, and capital letters and digits, as receipts have it. In small letters it needs a digit, or it is rather a name.
    static func orderID(_ name: String) -> String? {
        let (bytes, id) = (name.utf8, name.uppercased())
        let isOne =
            (8...20).contains(bytes.count) && id.utf8.first == UInt8(ascii: "M") && bytes.allSatisfy(\.isLetterOrDigit)
            && (id == name || bytes.contains { $0.isDigit })
        return isOne ? id : nil
    }

    static func isTransactionID(_ name: String) -> Bool {
        (6...25).contains(name.utf8.count) && name.utf8.allSatisfy { (48...57).contains($0) }
    }

    /// The transactions of an order ID (https://developer.apple.com/documentation/appstoreserverapi/look-up-order-id), which
    /// Apple knows in Production alone. Empty for one that is no order of this app.
    func transactions(ofOrder id: String, now: Instant) throws(StoreAPIError) -> [Event] {
        let answer = try ask("GET", "/inApps/v1/lookup/\(PercentEncoding.encode(id))", in: .production, now: now)
        let (status, texts) = try documented { () throws(VerificationError) in
            (answer.integer("status"), try answer.strings("signedTransactions"))
        }
        // 1 is an order ID that is not valid.
        guard status == 0 else { return [] }
        return try (texts ?? []).prefix(100).map { text throws(StoreAPIError) in
            try event(ofTransaction: text, in: .production, now: now)
        }
    }

    /// One transaction, by its own id. Asks Production first, and Sandbox if Production does not know it; nil if neither does.
    func transaction(_ id: String, now: Instant) throws(StoreAPIError) -> Event? {
        var refusal: StoreAPIError?
        for environment in StoreEnvironment.ofStores where isServed(environment) {
            do throws(StoreAPIError) {
                let path = "/inApps/v1/transactions/\(PercentEncoding.encode(id))"
                let answer = try ask("GET", path, in: environment, now: now)
                let text = try documented { () throws(VerificationError) in
                    try answer.statedString("signedTransactionInfo")
                }
                return try event(ofTransaction: text, in: environment, now: now)
            } catch {
                // Production also refuses the key until the app's first release.
                guard error.isUnknownTransaction || error.isUnauthorized && environment == .production else {
                    throw error
                }
                if error.isUnauthorized { refusal = error }
            }
        }
        if let refusal { throw refusal }
        return nil
    }
}

extension OpenAppleStore {
    public func find(_ name: String, now: Instant) throws(StoreAPIError) -> [FoundPurchase]? {
        guard let api = lookupAPI else { return nil }
        guard let order = AppleServerAPI.orderID(name) else {
            return try api.transaction(name, now: now).flatMap { FoundPurchase($0) }.map { [$0] } ?? []
        }
        guard api.isServed(.production) else {
            let reason = "Apple looks up order IDs in Production alone, which PAYCAST_APPLE_ENVIRONMENTS does not serve"
            throw .refused(status: 0, code: nil, reason: reason)
        }
        // An answer is that of one app.
        for app in apps {
            let found = try api.of(app).transactions(ofOrder: order, now: now).compactMap { FoundPurchase($0) }
            if !found.isEmpty { return found }
        }
        return []
    }
}
