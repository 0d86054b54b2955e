internal import Domain

/// Apple's API as a receipt needs it: without an answer, the receipt is judged by its own content. A key that Apple does
/// not accept (Production, before the first release) or an invalid id therefore means that Apple cannot be asked, not
/// that the app should try again.
struct AppleReceiptLookup {
    let api: AppleServerAPI
    let apps: [String]

    /// Apple's own statements about everything that the buyer behind one transaction id has bought: verified events, to be
    /// committed like a webhook's. A clue that names no app may belong to any of them. Blocks.
    func statements(behind clue: ReceiptClue, now: Instant) throws(AppleLookupError) -> [Event] {
        for app in clue.app.map({ [$0] }) ?? apps {
            do throws(StoreAPIError) {
                return try api.of(app).statements(of: clue.transactionID, in: clue.environment, now: now)
            } catch {
                switch error {
                case .unavailable, .unreadable, .notYetKnown: throw .unreachable(error)
                case .unauthorized, .refused: continue
                }
            }
        }
        throw .unknownTransaction
    }
}

enum AppleLookupError: Error, Equatable {
    /// No answer, or an unusable one. A retry may succeed.
    case unreachable(StoreAPIError)
    /// Apple knows no such transaction.
    case unknownTransaction
}
