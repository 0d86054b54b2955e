internal import Domain

/// A subscription schedule, with future changes of plan. What they change to comes from the subscription, if Paycast
/// may read it.
struct StripeSchedule {
    let object: StoreObject

    func meaning(of envelope: StripeEnvelope) -> StripeMeaning {
        let isOver = ["canceled", "released", "aborted"].contains(object.text("status") ?? "")
        let kind: EventKind = isOver ? .planChangeCancelled : .planChangeScheduled
        let subscription = object.id("subscription") ?? object.text("released_subscription")
        return StripeMeaning(
            kind: envelope.type.hasPrefix("subscription_schedule.") ? kind : .providerUnknown,
            subtype: object.text("status"),
            observation: subscription.map {
                Observation(contract: envelope.key($0), kind: .subscription, account: object.id("customer"))
            }
        )
    }
}
