public import Domain
public import Providers

extension AppleServerAPI: AppleStatements {
    /// For receipts, which prove a purchase without Apple's API, too: a key that is not accepted (Production, before the
    /// first release) and an id that is none say that nobody can be asked, not that it should be tried again.
    public func statements(behind clue: ReceiptClue, now: Instant) throws(AppleStatementsError) -> [Event] {
        let api = clue.app.map { of($0) } ?? self
        for place in clue.environment.map({ [$0] }) ?? [.production, .sandbox] where line.serves(place) {
            do throws(StoreAPIError) {
                return try api.statements(of: clue.transactionID, in: place, now: now)
            } catch {
                switch error {
                case .unavailable, .unreadable: throw .unreachable(reason: error.description)
                case .unauthorized, .refused: continue
                }
            }
        }
        throw .unknownTransaction
    }
}
