import Domain
import Settings
import StoreInterface

/// Paddle Billing (https://developer.paddle.com/webhooks/overview): its settings.
struct PaddleStore: Store {
    static let provider = Provider(rawValue: "paddle")
    static let title = "Paddle"

    /// `PAYCAST_PADDLE_SECRET`: the notification destination's.
    var secret: Secret?

    init(_ settings: inout SettingsReader) {
        secret = settings.secret("PAYCAST_PADDLE_SECRET")
    }

    var missingSettings: [String] { secret == nil ? ["PAYCAST_PADDLE_SECRET"] : [] }

    mutating func reload(from new: PaddleStore, changes: inout SettingsChanges) {
        changes.take("PAYCAST_PADDLE_SECRET", into: &secret, from: new.secret)
    }

    func open(_ dependencies: StoreDependencies) -> PaddleVerifier? {
        secret.map { PaddleVerifier(secret: $0.value) }
    }
}
