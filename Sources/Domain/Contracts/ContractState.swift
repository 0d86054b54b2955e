/// Where a contract stands. Raw values are the words of the public interface.
public enum ContractState: String, CaseIterable, Sendable {
    case pending
    case active
    /// Renewal is off; access runs on until the period ends.
    case cancelled
    case inGracePeriod = "in_grace_period"
    case inBillingRetry = "in_billing_retry"
    case paused
    case expired
    case revoked
    /// A one-time product that stays.
    case owned
    /// A consumable that was handed over.
    case delivered
}

extension ContractState {
    /// `delivered` gives no access: the product was handed over once.
    public var givesAccess: Bool {
        switch self {
        case .active, .cancelled, .inGracePeriod, .owned: true
        case .pending, .inBillingRetry, .paused, .expired, .revoked, .delivered: false
        }
    }
}
