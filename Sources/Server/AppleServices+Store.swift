internal import API
internal import AppleStore
internal import Domain
internal import StoreInterface

extension AppleServices {
    /// What the routes of apps need.
    init(_ store: OpenAppleStore) {
        self.init(
            transactions: store.apple,
            receipts: AppleReceiptVerifier(beside: store.apple),
            statements: store.serverAPI.map { AppleLookup(api: $0, apps: store.apps) }
        )
    }
}

/// Apple's API as the receipts' route asks it: a receipt proves a purchase without it, too. A key that is not accepted
/// (Production, before the first release) and an invalid id say that nobody can be asked, not that it should be
/// tried again.
private struct AppleLookup: AppleStatements {
    let api: AppleServerAPI
    let apps: [String]

    /// A clue without an app is of any of them.
    func statements(behind clue: ReceiptClue, now: Instant) throws(AppleStatementsError) -> [Event] {
        for app in clue.app.map({ [$0] }) ?? apps {
            do throws(StoreAPIError) {
                return try api.of(app).statements(of: clue.transactionID, in: clue.environment, now: now)
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
