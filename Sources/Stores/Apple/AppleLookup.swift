public import Domain
internal import StoreInterface

/// Apple's API as the receipt route uses it: without an answer, the receipt is judged by its own content. A key that
/// Apple does not accept (Production, before the first release) or an invalid id therefore means that Apple cannot be
/// asked, not that the app should try again.
public struct AppleLookup: Sendable {
    private let api: AppleServerAPI
    private let apps: [String]

    public init(api: AppleServerAPI, apps: [String]) {
        self.api = api
        self.apps = apps
    }

    /// Apple's own statements about everything that the buyer behind one transaction id has bought: verified events, to be
    /// committed like a webhook's. A clue that names no app may belong to any of them. Blocks.
    public func statements(behind clue: ReceiptClue, now: Instant) throws(AppleLookupError) -> [Event] {
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

public enum AppleLookupError: Error, Equatable {
    /// No answer, or an unusable one. A retry may succeed.
    case unreachable(reason: String)
    /// Apple knows no such transaction.
    case unknownTransaction
}
