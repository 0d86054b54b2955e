/// What can happen to a subscription, in words that mean the same for every store.
public enum LifecycleStep: String, CaseIterable, Sendable {
    /// Bought for the first time.
    case initial
    case renew
    /// The payment failed; access continues for a while.
    case grace
    /// The payment failed, and access has ended.
    case retry
    /// The payment succeeded after all.
    case recover
    /// Renewal is switched off; access runs on until the period ends.
    case cancel
    /// Renewal is switched on again.
    case resume
    case expire
    case refund
    /// The refund is reversed.
    case reversed
    case pause
    case upgrade
    case downgrade
}
