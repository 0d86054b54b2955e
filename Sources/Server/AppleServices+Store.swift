internal import API
internal import AppleStore
internal import Domain
internal import StoreInterface

extension AppleServices {
    /// What the routes for apps need.
    init(_ store: OpenAppleStore) {
        self.init(
            transactions: store.apple,
            receipts: AppleReceiptVerifier(beside: store.apple),
            statements: store.serverAPI.map { AppleLookup(api: $0, apps: store.apps) }
        )
    }
}

/// Apple's API as the receipt route uses it: without an answer, the receipt is judged by its own content. A key that
/// Apple does not accept (Production, before the first release) or an invalid id therefore means that Apple cannot be
/// asked, not that the app should try again.
private struct AppleLookup: AppleStatements {
    let api: AppleServerAPI
    let apps: [String]

    /// A clue that names no app may belong to any of them.
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
