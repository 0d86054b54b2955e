import Domain
import TestSupport

@testable import Simulator

extension SimulatedSubscription {
    /// Half of the time, adds, renews, cancels or removes one further product.
    mutating func changeAddOns(at now: Instant, using generator: inout SeededGenerator) {
        guard Bool.random(using: &generator) else { return }
        let product = Bool.random(using: &generator) ? "paycast.storage" : "paycast.team"
        guard let index = addOns.firstIndex(where: { $0.product == product }) else {
            return addOns.append(SimulatedAddOn(product: product, accessUntil: now + StoreTimeline.period))
        }
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: addOns.remove(at: index)
        case 1: addOns[index].autoRenew = false
        default:
            addOns[index].autoRenew = true
            addOns[index].accessUntil = max(addOns[index].accessUntil ?? now, now) + StoreTimeline.period
        }
    }
}
