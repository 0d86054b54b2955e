extension ContractState {
    /// `delivered` gives no access: the product was handed over once.
    public var givesAccess: Bool {
        switch self {
        case .active, .cancelled, .inGracePeriod, .owned: true
        case .pending, .inBillingRetry, .paused, .expired, .revoked, .delivered: false
        }
    }
}
