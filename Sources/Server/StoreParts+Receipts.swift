internal import Domain
internal import Gateway
internal import Providers
internal import Stores

extension StoreParts {
    /// What the routes of apps need.
    static func appleServices(_ verifier: AppleVerifier?, _ api: AppleServerAPI?) -> AppleServices? {
        guard let verifier else { return nil }
        let receipts = AppleReceiptVerifier(beside: verifier)
        return AppleServices(transactions: verifier, receipts: receipts, statements: api.map { AppleLookup(api: $0) })
    }
}

/// Apple's API as the receipts' route asks it: a receipt proves a purchase without it, too. A key that is not accepted
/// (Production, before the first release) and an id that is none say that nobody can be asked, not that it should be
/// tried again.
private struct AppleLookup: AppleStatements {
    let api: AppleServerAPI

    func statements(behind clue: ReceiptClue, now: Instant) throws(AppleStatementsError) -> [Event] {
        do throws(StoreAPIError) {
            let api = clue.app.map { self.api.of($0) } ?? api
            return try api.statements(of: clue.transactionID, in: clue.environment, now: now)
        } catch {
            switch error {
            case .unavailable, .unreadable: throw .unreachable(reason: error.description)
            case .unauthorized, .refused: throw .unknownTransaction
            }
        }
    }
}
