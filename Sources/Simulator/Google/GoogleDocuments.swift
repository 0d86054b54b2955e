internal import Domain
internal import Encoding

/// The push of Google Play about one purchase, and its answers in the state after it.
struct GoogleDocuments {
    private let event: SimulatedEvent
    private let model: GooglePurchaseModel
    private let type: String
    private let package: String

    init(_ event: SimulatedEvent, type: String, package: String) {
        self.event = event
        self.type = type
        self.package = package
        var model = GooglePurchaseModel(event.facts, now: event.now)
        model.apply(type, subtype: event.subtype)
        self.model = model
    }

    private var isSubscription: Bool { event.facts.kind == .subscription }

    /// `DeveloperNotification`. `number` is the type's number within its kind; nil for a kind without numbers.
    func notice(_ number: Int64?) -> WireJSON {
        var notice: WireJSON = [
            "version": "1.0", "packageName": .text(package),
            "eventTimeMillis": .text(String(event.now.milliseconds)),
        ]
        let token = WireJSON.text(model.token)
        switch (type, number) {
        case ("TEST", _): notice["testNotification"] = ["version": "1.0"]
        case ("VOIDED_PURCHASE", _):
            notice["voidedPurchaseNotification"] = [
                "purchaseToken": token, "orderId": .text(voided),
                "productType": isSubscription ? 1 : 2, "refundType": event.subtype == "partial" ? 2 : 1,
            ]
        case ("PENDING_REFUND_REVIEW", _):
            notice["pendingRefundReviewNotification"] = [
                "version": "1.0", "pendingRefundToken": .text("refund.\(model.token)"), "orderId": .text(order),
                "refundReason": 1, "obfuscatedAccountId": account,
            ]
        case (_, let number?) where type.hasPrefix("ONE_TIME_PRODUCT"):
            notice["oneTimeProductNotification"] = [
                "version": "1.0", "notificationType": .number(number), "purchaseToken": token,
                "sku": .text(model.product.id),
            ]
        case (_, let number):
            notice["subscriptionNotification"] = [
                "version": "1.0", "notificationType": .number(number ?? 0), "purchaseToken": token,
            ]
        }
        return notice
    }

    /// The API's answers from now on.
    var answers: [(path: String, json: WireJSON)] {
        guard isSubscription else { return [(path("productsv2", token: model.token), purchase)] }
        let own = (path("subscriptionsv2", token: model.token), subscription(model))
        guard let replaced = model.replaced, model.state != "PENDING", !model.isOutsideApp else { return [own] }
        var old = GooglePurchaseModel(event.facts, now: event.now)
        old.apply("SUBSCRIPTION_EXPIRED", subtype: "replaced")
        return [own, (path("subscriptionsv2", token: replaced), subscription(old))]
    }

    /// The event id under which Paycast knows the void of a whole charge; nil for anything else.
    var void: String? { type == "VOIDED_PURCHASE" && isWhole ? "void:\(voided)" : nil }

    /// The list of voided purchases from now on.
    var history: [(path: String, json: WireJSON)] {
        guard type == "VOIDED_PURCHASE" else { return [] }
        var entry: WireJSON = [
            "kind": "androidpublisher#voidedPurchase", "purchaseToken": .text(model.token), "orderId": .text(voided),
            "purchaseTimeMillis": .text(String(model.startedAt.milliseconds)),
            "voidedTimeMillis": .text(String(event.now.milliseconds)), "voidedSource": 0, "voidedReason": 1,
        ]
        if event.subtype == "partial" { entry["voidedQuantity"] = 1 }
        return [("/androidpublisher/v3/applications/\(package)/purchases/voidedpurchases", entry)]
    }

    private var isWhole: Bool { event.subtype != "past" && event.subtype != "partial" }
    private var voided: String { event.subtype == "past" ? "GPA.0000-past" : order }

    private func path(_ kind: String, token: String) -> String {
        "/androidpublisher/v3/applications/\(package)/purchases/\(kind)/tokens/\(token)"
    }

    private var order: String { order(model) }

    private func order(_ model: GooglePurchaseModel) -> String {
        let number = "GPA.\(StoreID.make(model.token))"
        return model.renewals == 0 ? number : "\(number)..\(model.renewals - 1)"
    }

    private var account: WireJSON { event.token.map { .text($0.description) } ?? .null }
    private var isTest: Bool { event.environment == .sandbox }

    private func subscription(_ model: GooglePurchaseModel) -> WireJSON {
        var document: WireJSON = [
            "kind": "androidpublisher#subscriptionPurchaseV2", "regionCode": "US",
            "startTime": .text(model.startedAt.iso8601),
            "subscriptionState": .text("SUBSCRIPTION_STATE_\(model.state)"), "latestOrderId": .text(order(model)),
            "acknowledgementState": "ACKNOWLEDGEMENT_STATE_PENDING", "lineItems": .list(items(model)),
        ]
        let buyer = event.token.map { ["obfuscatedExternalAccountId": WireJSON.text($0.description)] as WireJSON }
        if let replaced = model.replaced, model.isOutsideApp {
            var context: WireJSON = ["expiredPurchaseToken": .text(replaced)]
            context["expiredExternalAccountIdentifiers"] = buyer
            document["outOfAppPurchaseContext"] = context
        } else {
            document["externalAccountIdentifiers"] = buyer
            document["linkedPurchaseToken"] = model.replaced.map { .text($0) }
        }
        if let resumesAt = model.resumesAt {
            document["pausedStateContext"] = ["autoResumeTime": .text(resumesAt.iso8601)]
        }
        if let cancellation = model.cancellation {
            document["canceledStateContext"] = .object([.init(name: cancellation.rawValue, value: [:])])
        }
        if isTest { document["testPurchase"] = [:] }
        return document
    }

    /// Google promises no order; here, the newest item comes first.
    private func items(_ model: GooglePurchaseModel) -> [WireJSON] {
        let next = model.nextProduct.map { [waiting(SimulatedProduct(id: $0, kind: .subscription))] } ?? []
        return next + event.facts.addOns.reversed().map { addOn($0, of: model) } + [item(model)]
    }

    /// The plan of a deferred change has no date until it begins (android/play-billing-samples#624).
    private func waiting(_ product: SimulatedProduct) -> WireJSON {
        [
            "productId": .text(product.id),
            "autoRenewingPlan": ["autoRenewEnabled": true, "recurringPrice": price(product)],
        ]
    }

    private func addOn(_ addOn: SimulatedAddOn, of model: GooglePurchaseModel) -> WireJSON {
        let product = SimulatedProduct(id: addOn.product, kind: .subscription)
        let isOver = ["EXPIRED", "ON_HOLD", "PAUSED"].contains(model.state)
        let paidUntil = addOn.accessUntil ?? model.expiresAt
        let end = isOver ? min(paidUntil, model.expiresAt) : paidUntil
        return [
            "productId": .text(addOn.product), "expiryTime": .text(end.iso8601),
            "autoRenewingPlan": [
                "autoRenewEnabled": .flag(addOn.autoRenew && model.autoRenews), "recurringPrice": price(product),
            ],
            "latestSuccessfulOrderId": .text(order(model)),
        ]
    }

    private func item(_ model: GooglePurchaseModel) -> WireJSON {
        var plan: WireJSON = [
            "autoRenewEnabled": .flag(model.autoRenews), "recurringPrice": price(model.product),
        ]
        if let state = model.priceChange {
            plan["priceChangeDetails"] = [
                "newPrice": price(model.product), "priceChangeMode": "PRICE_INCREASE", "priceChangeState": .text(state),
            ]
        }
        var item: WireJSON = [
            "productId": .text(model.product.id), "expiryTime": .text(model.expiresAt.iso8601),
            "autoRenewingPlan": plan, "latestSuccessfulOrderId": .text(order(model)),
        ]
        item["offerDetails"] = model.offer.map { ["basePlanId": "base", "offerId": .text($0)] }
        if let phase = model.phase { item["offerPhase"] = .object([.init(name: phase, value: [:])]) }
        if let next = model.nextProduct { item["deferredItemReplacement"] = ["productId": .text(next)] }
        return item
    }

    private func price(_ product: SimulatedProduct) -> WireJSON {
        [
            "currencyCode": .text(product.currency), "units": .text(String(product.price / 1000)),
            "nanos": .number(product.price % 1000 * 1_000_000),
        ]
    }

    private var purchase: WireJSON {
        var document: WireJSON = [
            "kind": "androidpublisher#productPurchaseV2", "orderId": .text(order), "regionCode": "US",
            "purchaseStateContext": ["purchaseState": .text(model.purchaseState)],
            "productLineItem": .list([
                ["productId": .text(model.product.id), "productOfferDetails": ["quantity": 1]]
            ]),
            "acknowledgementState": "ACKNOWLEDGEMENT_STATE_PENDING",
        ]
        document["obfuscatedExternalAccountId"] = event.token.map { .text($0.description) }
        if model.isPaid { document["purchaseCompletionTime"] = .text(paidAt.iso8601) }
        if isTest { document["testPurchaseContext"] = ["fopType": "TEST"] }
        return document
    }

    /// A one-time purchase without a known date gets last midnight: the same all day, and in the past.
    private var paidAt: Instant {
        event.facts.startedAt ?? Instant(milliseconds: event.now.milliseconds / 86_400_000 * 86_400_000)
    }
}
