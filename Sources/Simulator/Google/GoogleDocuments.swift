internal import Domain
internal import Encoding

/// What Google Play pushes and answers about one purchase in its state after a notification.
struct GoogleDocuments {
    private let event: SimulatedEvent
    private let scene: GoogleScene
    private let type: String
    private let package: String

    init(_ event: SimulatedEvent, _ type: String, _ package: String) {
        self.event = event
        self.type = type
        self.package = package
        var scene = GoogleScene(event.facts, now: event.now)
        scene.play(type, event.subtype)
        self.scene = scene
    }

    private var isSubscription: Bool { event.facts.kind == .subscription }

    /// `DeveloperNotification`. `number` is the type's number within its kind; nil for a kind without numbers.
    func notice(_ number: Int64?) -> WireJSON {
        var notice: WireJSON = [
            "version": "1.0", "packageName": .text(package),
            "eventTimeMillis": .text(String(event.now.milliseconds)),
        ]
        let token = WireJSON.text(scene.token)
        switch (type, number) {
        case ("TEST", _): notice["testNotification"] = ["version": "1.0"]
        case ("VOIDED_PURCHASE", _):
            notice["voidedPurchaseNotification"] = [
                "purchaseToken": token, "orderId": .text(voided),
                "productType": isSubscription ? 1 : 2, "refundType": event.subtype == "partial" ? 2 : 1,
            ]
        case ("PENDING_REFUND_REVIEW", _):
            notice["pendingRefundReviewNotification"] = [
                "version": "1.0", "pendingRefundToken": .text("refund.\(scene.token)"), "orderId": .text(order),
                "refundReason": 1, "obfuscatedAccountId": account,
            ]
        case (_, let number?) where type.hasPrefix("ONE_TIME_PRODUCT"):
            notice["oneTimeProductNotification"] = [
                "version": "1.0", "notificationType": .number(number), "purchaseToken": token,
                "sku": .text(scene.product.id),
            ]
        case (_, let number):
            notice["subscriptionNotification"] = [
                "version": "1.0", "notificationType": .number(number ?? 0), "purchaseToken": token,
            ]
        }
        return notice
    }

    /// What the API answers from now on.
    var answers: [(path: String, json: WireJSON)] {
        guard isSubscription else { return [(path("productsv2", scene.token), purchase)] }
        let own = (path("subscriptionsv2", scene.token), subscription(scene))
        guard let replaced = scene.replaced, scene.state != "PENDING", !scene.isOutsideApp else { return [own] }
        var old = GoogleScene(event.facts, now: event.now)
        old.play("SUBSCRIPTION_EXPIRED", "replaced")
        return [own, (path("subscriptionsv2", replaced), subscription(old))]
    }

    /// The event id under which Paycast knows the void of a whole charge; nil for anything else.
    var void: String? { type == "VOIDED_PURCHASE" && isWhole ? "void:\(voided)" : nil }

    /// What the list of voided purchases contains from now on.
    var history: [(path: String, json: WireJSON)] {
        guard type == "VOIDED_PURCHASE" else { return [] }
        var entry: WireJSON = [
            "kind": "androidpublisher#voidedPurchase", "purchaseToken": .text(scene.token), "orderId": .text(voided),
            "purchaseTimeMillis": .text(String(scene.startedAt.milliseconds)),
            "voidedTimeMillis": .text(String(event.now.milliseconds)), "voidedSource": 0, "voidedReason": 1,
        ]
        if event.subtype == "partial" { entry["voidedQuantity"] = 1 }
        return [("/androidpublisher/v3/applications/\(package)/purchases/voidedpurchases", entry)]
    }

    private var isWhole: Bool { event.subtype != "past" && event.subtype != "partial" }
    private var voided: String { event.subtype == "past" ? "GPA.0000-past" : order }

    private func path(_ kind: String, _ token: String) -> String {
        "/androidpublisher/v3/applications/\(package)/purchases/\(kind)/tokens/\(token)"
    }

    private var order: String { order(scene) }

    private func order(_ scene: GoogleScene) -> String {
        let number = "GPA.\(StoreID.make(scene.token))"
        return scene.renewals == 0 ? number : "\(number)..\(scene.renewals - 1)"
    }

    private var account: WireJSON { event.token.map { .text($0.description) } ?? .null }
    private var isTest: Bool { event.environment == .sandbox }

    private func subscription(_ scene: GoogleScene) -> WireJSON {
        var document: WireJSON = [
            "kind": "androidpublisher#subscriptionPurchaseV2", "regionCode": "US",
            "startTime": .text(scene.startedAt.iso8601),
            "subscriptionState": .text("SUBSCRIPTION_STATE_\(scene.state)"), "latestOrderId": .text(order(scene)),
            "acknowledgementState": "ACKNOWLEDGEMENT_STATE_PENDING", "lineItems": .list(items(scene)),
        ]
        if let token = event.token {
            document["externalAccountIdentifiers"] = ["obfuscatedExternalAccountId": .text(token.description)]
        }
        if let replaced = scene.replaced {
            let name = scene.isOutsideApp ? "outOfAppPurchaseContext" : "linkedPurchaseToken"
            document[name] = scene.isOutsideApp ? ["expiredPurchaseToken": .text(replaced)] : .text(replaced)
        }
        if let resumesAt = scene.resumesAt {
            document["pausedStateContext"] = ["autoResumeTime": .text(resumesAt.iso8601)]
        }
        if let cancellation = scene.cancellation {
            document["canceledStateContext"] = .object([.init(name: cancellation.rawValue, value: [:])])
        }
        if isTest { document["testPurchase"] = [:] }
        return document
    }

    /// Google promises no order; here, the newest item comes first.
    private func items(_ scene: GoogleScene) -> [WireJSON] {
        event.facts.addOns.reversed().map { addOn($0, of: scene) } + [item(scene)]
    }

    private func addOn(_ addOn: SimulatedAddOn, of scene: GoogleScene) -> WireJSON {
        let product = SimulatedProduct(id: addOn.product, kind: .subscription)
        let isOver = ["EXPIRED", "ON_HOLD", "PAUSED"].contains(scene.state)
        let paidUntil = addOn.accessUntil ?? scene.expiresAt
        let end = isOver ? min(paidUntil, scene.expiresAt) : paidUntil
        return [
            "productId": .text(addOn.product), "expiryTime": .text(end.iso8601),
            "autoRenewingPlan": [
                "autoRenewEnabled": .flag(addOn.autoRenew && scene.autoRenews), "recurringPrice": price(product),
            ],
            "latestSuccessfulOrderId": .text(order(scene)),
        ]
    }

    private func item(_ scene: GoogleScene) -> WireJSON {
        var plan: WireJSON = [
            "autoRenewEnabled": .flag(scene.autoRenews), "recurringPrice": price(scene.product),
        ]
        if let state = scene.priceChange {
            plan["priceChangeDetails"] = [
                "newPrice": price(scene.product), "priceChangeMode": "PRICE_INCREASE", "priceChangeState": .text(state),
            ]
        }
        var item: WireJSON = [
            "productId": .text(scene.product.id), "expiryTime": .text(scene.expiresAt.iso8601),
            "autoRenewingPlan": plan, "latestSuccessfulOrderId": .text(order(scene)),
        ]
        item["offerDetails"] = scene.offer.map { ["basePlanId": "base", "offerId": .text($0)] }
        if let phase = scene.phase { item["offerPhase"] = .object([.init(name: phase, value: [:])]) }
        if let next = scene.nextProduct { item["deferredItemReplacement"] = ["productId": .text(next)] }
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
            "purchaseStateContext": ["purchaseState": .text(scene.purchaseState)],
            "productLineItem": .list([
                ["productId": .text(scene.product.id), "productOfferDetails": ["quantity": 1]]
            ]),
            "acknowledgementState": "ACKNOWLEDGEMENT_STATE_PENDING",
        ]
        document["obfuscatedExternalAccountId"] = event.token.map { .text($0.description) }
        if scene.isPaid { document["purchaseCompletionTime"] = .text(paidAt.iso8601) }
        if isTest { document["testPurchaseContext"] = ["fopType": "TEST"] }
        return document
    }

    /// A one-time purchase without a known date gets last midnight: the same all day, and in the past.
    private var paidAt: Instant {
        event.facts.startedAt ?? Instant(milliseconds: event.now.milliseconds / 86_400_000 * 86_400_000)
    }
}
