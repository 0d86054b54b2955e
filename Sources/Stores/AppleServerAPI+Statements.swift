public import Domain
public import Providers

extension AppleServerAPI: AppleStatements {
    /// For receipts, which prove a purchase without Apple's API, too: a key that is not accepted (Production, before the
    /// first release) and an id that is none say that nobody can be asked, not that it should be tried again.
    public func statements(
        behind transactionID: String,
        in environment: StoreEnvironment,
        now: Instant
    ) throws(AppleStatementsError) -> [Event] {
        guard line.serves(environment) else { throw .unknownTransaction }
        do throws(StoreAPIError) {
            return try statements(of: transactionID, in: environment, now: now).sorted {
                $0.purchasedAt < $1.purchasedAt
            }
        } catch {
            switch error {
            case .unavailable, .unreadable: throw .unreachable
            case .unauthorized, .refused: throw .unknownTransaction
            }
        }
    }
}

extension Event {
    fileprivate var purchasedAt: Instant { observation?.transaction?.purchasedAt ?? signedAt }
}
