internal import Domain

/// An event object (https://docs.stripe.com/api/events/object): which object changed, and how.
struct StripeEnvelope {
    /// The range of `created`: from 1970 to 2100.
    private static let dates = Instant(milliseconds: 0)...Instant(milliseconds: 4_102_444_800_000)

    let id: String
    let type: String
    let created: Instant
    let environment: StoreEnvironment
    /// A connected account; nil when it happened on the endpoint's own account.
    let account: String?
    let object: StoreObject
    /// The previous values of the members that changed.
    let previous: StoreObject?

    init(_ body: [UInt8]) throws(VerificationError) {
        let event = try StoreObject(body)
        guard event.text("object") != "v2.core.event" else { throw .malformed(.thinEvent) }
        guard let id = event.text("id"), let type = event.text("type"), let created = event.seconds("created"),
            StripeEnvelope.dates.contains(created), let isLive = event.flag("livemode"),
            let object = event.object("data", "object"), !event.has("account") || event.text("account") != nil
        else { throw .malformed(.invalidPayload) }
        self.id = id
        self.type = type
        self.created = created
        self.object = object
        environment = isLive ? .production : .sandbox
        account = event.text("account")
        previous = event.object("data", "previous_attributes")
    }

    /// `ContractKey.app` for events on the account that the endpoint belongs to.
    static let ownAccount = "stripe"

    var app: String { account ?? StripeEnvelope.ownAccount }

    func key(_ lineage: String) -> ContractKey {
        ContractKey(provider: .stripe, environment: environment, app: app, lineage: lineage)
    }
}

/// An event as Paycast understands it: its kind, a detail in Stripe's words, and what it says about a contract.
struct StripeMeaning {
    var kind: EventKind
    var subtype: String?
    var observation: Observation?
    /// The observations of a subscription's further items.
    var further: [Observation] = []
    /// True when there are no other items.
    var isWhole = false

    /// Decides by the type of the object, not by the event's name, so that new names work, too.
    init(_ envelope: StripeEnvelope, catalog: Catalog) {
        let object = envelope.object
        self =
            switch object.text("object") {
            case "subscription": StripeSubscription(object, catalog: catalog).meaning(of: envelope)
            case "checkout.session": StripeSession(object: object, catalog: catalog).meaning(of: envelope)
            case "invoice": StripeInvoice(object: object, catalog: catalog).meaning(of: envelope)
            case "payment_intent": StripePaymentIntent(object: object, catalog: catalog).meaning(of: envelope)
            case "charge": StripeCharge(object: object, catalog: catalog).meaning(of: envelope)
            case "refund": StripeRefund(object: object).meaning(of: envelope)
            case "dispute": StripeDispute(object: object, catalog: catalog).meaning(of: envelope)
            case "subscription_schedule": StripeSchedule(object: object).meaning(of: envelope)
            default: StripeMeaning(kind: .providerUnknown)
            }
    }

    static let ofUnlistedAccount = StripeMeaning(kind: .providerUnknown, subtype: Event.unlistedAccount)

    init(kind: EventKind, subtype: String? = nil, observation: Observation? = nil) {
        self.kind = kind
        self.subtype = subtype
        self.observation = observation
    }
}
