import Domain
import Encoding

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
    let catalog: Catalog
    let body: [UInt8]

    init(_ body: [UInt8], catalog: Catalog) throws(VerificationError) {
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
        self.catalog = catalog
        self.body = body
    }

    /// `ContractKey.app` for events on the account that the endpoint belongs to.
    static let ownAccount = "stripe"

    var app: String { account ?? StripeEnvelope.ownAccount }

    func key(_ lineage: String) -> ContractKey {
        ContractKey(provider: .stripe, environment: environment, app: app, lineage: lineage)
    }
}

extension StripeEnvelope {
    /// As Paycast understands it. Decides by the type of the object, not by the event's name, so that new names work, too.
    var event: Event {
        switch object.text("object") {
        case "subscription": StripeSubscription(object, catalog: catalog).event(in: self)
        case "checkout.session": StripeSession(envelope: self).event
        case "invoice": StripeInvoice(object: object, catalog: catalog).event(in: self)
        case "payment_intent": ofPaymentIntent
        case "charge": ofCharge
        case "refund": ofRefund
        case "dispute": ofDispute
        case "subscription_schedule": ofSchedule
        default: event(.providerUnknown)
        }
    }

    /// `subtype` is a detail in Stripe's words.
    func event(_ kind: EventKind, subtype: String? = nil, observation: Observation? = nil) -> Event {
        Event(
            provider: .stripe,
            environment: environment,
            app: app,
            id: id,
            type: type,
            subtype: subtype,
            kind: kind,
            signedAt: created,
            observation: observation,
            body: body
        )
    }

    /// The id of the charge that it is about, if any.
    var charge: String? {
        switch object.text("object") {
        case "charge": object.text("id")
        case "dispute": object.id("charge")
        default: nil
        }
    }

    /// A subscription schedule, with future changes of plan. What they change to comes from the subscription, if Paycast
    /// may read it.
    private var ofSchedule: Event {
        let isOver = ["canceled", "released", "aborted"].contains(object.text("status") ?? "")
        let kind: EventKind = isOver ? .planChangeCancelled : .planChangeScheduled
        let subscription = object.id("subscription") ?? object.text("released_subscription")
        var observation = subscription.map { Observation(contract: key($0), kind: .subscription) }
        observation?.account = object.id("customer")
        let isNamed = type.hasPrefix("subscription_schedule.")
        return event(isNamed ? kind : .providerUnknown, subtype: object.text("status"), observation: observation)
    }
}

/// Members that only Stripe's objects have. They are looked up where they are needed, because the objects' shapes
/// differ between versions of the API.
extension StoreObject {
    /// The range of ECMAScript's Date, in seconds.
    private static let secondsLimit = 8.64e12

    /// True when the member is present, even if `null`: `previous_attributes` names what was `null` before.
    func names(_ name: String) -> Bool { self[name] != nil }

    /// True for an empty list, and for an absent one.
    func isEmpty(_ name: String) -> Bool {
        guard case .array(let items)? = self[name] else { return true }
        return items.isEmpty
    }

    /// The id of an object, whether it is expanded or not.
    func id(_ name: String) -> String? {
        text(name) ?? object(name)?.text("id")
    }

    /// In a currency's smallest unit. Text is not an amount.
    func amount(_ name: String) -> Int64? { self[name]?.integer }

    /// Seconds since 1970. Neither text nor a number out of range is a date.
    func seconds(_ name: String) -> Instant? {
        guard let seconds = number(name), abs(seconds) <= StoreObject.secondsLimit else { return nil }
        return Instant(milliseconds: Int64(seconds.rounded(.down)) * 1000)
    }

    /// A list object's entries, or an array's.
    func list(_ name: String) -> [StoreObject] {
        guard let list = object(name), list["data"] != nil else { return objects(name) }
        return list.objects("data")
    }

    /// The order's token in the metadata.
    var token: OrderToken? {
        guard let metadata = object("metadata") else { return nil }
        return ["order", "paycast_order"].lazy.compactMap { metadata.text($0) }.compactMap { OrderToken($0) }.first
    }

    /// The product according to the metadata, for objects that do not name one themselves.
    var namedProduct: String? { object("metadata")?.text("product") }
}
