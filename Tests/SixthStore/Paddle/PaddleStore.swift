import Domain
import Stores
import Support

/// Paddle Billing (https://developer.paddle.com/webhooks/overview): its settings.
struct PaddleStore: Store {
    static let provider = Provider(rawValue: "paddle")
    static let title = "Paddle"
    static let webhookSecret = "PAYCAST_PADDLE_SECRET"

    /// `PAYCAST_PADDLE_SECRET`: the notification destination's.
    var secret: Secret?

    init(_ settings: inout SettingsReader) {
        secret = settings.secret("PAYCAST_PADDLE_SECRET")
    }

    static func claimedID(of delivery: Delivery) -> String? {
        guard delivery.signature?.contains("h1=") == true else { return nil }
        return ClaimedID.text("event_id", in: ClaimedID.object(delivery.body), prefix: "evt_")
    }

    var missingSettings: [String] { secret == nil ? ["PAYCAST_PADDLE_SECRET"] : [] }

    mutating func reload(from new: PaddleStore, changes: inout SettingsChanges) {
        changes.take("PAYCAST_PADDLE_SECRET", into: &secret, from: new.secret)
    }

    func open(_ dependencies: StoreDependencies) -> PaddleVerifier? {
        secret.map { PaddleVerifier(secret: $0.value) }
    }
}
