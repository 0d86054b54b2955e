import Testing

@testable import Domain

/// Sessions, invoices, charges: which contract they are about, whose it is, and what was paid.
@Suite struct StripeObjectTests {
    private static let uuid: JSON = "0f8fad5b-d9cb-469f-a165-70867728950e"

    private func session(_ members: [String: JSON]) throws -> Observation? {
        let defaults: [String: JSON] = [
            "id": "cs_1", "object": "checkout.session", "mode": "payment", "status": "complete",
            "payment_status": "paid", "created": 1_767_225_000, "customer": "cus_1", "amount_total": 1999,
            "currency": "usd", "payment_intent": "pi_1",
        ]
        let object = JSON.object(defaults.merging(members) { $1 })
        return try StripeSpecimen.event("checkout.session.completed", object: object).verify().observation
    }

    struct Lineage: Sendable {
        var members: [String: JSON]
        var lineage: String?
    }

    @Test(arguments: [
        Lineage(members: [:], lineage: "pi_1"),
        Lineage(members: ["payment_intent": ["id": "pi_2", "object": "payment_intent"]], lineage: "pi_2"),
        Lineage(members: ["payment_intent": .raw("null")], lineage: "cs_1"),
        Lineage(members: ["mode": "subscription", "subscription": "sub_1"], lineage: "sub_1"),
        Lineage(members: ["mode": "subscription", "subscription": ["id": "sub_2"]], lineage: "sub_2"),
        Lineage(members: ["mode": "subscription"], lineage: nil),
        Lineage(members: ["mode": "setup"], lineage: nil),
        Lineage(members: ["mode": "tomorrow"], lineage: nil),
    ]) func sessionNamesItsContract(_ given: Lineage) throws {
        #expect(try session(given.members)?.contract.lineage == given.lineage)
    }

    @Test(
        arguments: [
            (["metadata": ["order": uuid]], true), (["metadata": ["paycast_order": uuid]], true),
            (["client_reference_id": uuid], true), (["client_reference_id": "42"], false), ([:], false),
        ] as [([String: JSON], Bool)]
    ) func sessionNamesItsOrder(_ members: [String: JSON], isNamed: Bool) throws {
        #expect((try session(members)?.token != nil) == isNamed)
    }

    struct Price: Sendable {
        var amount: JSON
        var currency: String
        var thousandths: Int64?
    }

    @Test(arguments: [
        Price(amount: 1999, currency: "usd", thousandths: 19_990),
        Price(amount: 500, currency: "jpy", thousandths: 500_000),
        Price(amount: 1234, currency: "kwd", thousandths: 1234), Price(amount: 500, currency: "isk", thousandths: 5000),
        Price(amount: .raw("9223372036854775807"), currency: "usd", thousandths: nil),
        Price(amount: .raw("1e30"), currency: "usd", thousandths: nil), Price(amount: "1999", currency: "usd"),
    ]) func pricesAreThousandths(_ price: Price) throws {
        let charge = try session(["amount_total": price.amount, "currency": .text(price.currency)])?.transaction
        #expect(charge?.price == price.thousandths)
        #expect(charge?.currency == price.currency.uppercased())
    }

    @Test func productComesFromMetadataOrLineItems() throws {
        #expect(try session([:])?.transaction?.product == "checkout")
        #expect(try session(["metadata": ["product": "lifetime"]])?.transaction?.product == "lifetime")
        let items: JSON = ["data": [["price": ["id": "price_9"]]]]
        #expect(try session(["line_items": items])?.transaction?.product == "price_9")
    }

    @Test func catalogSaysWhatKindIsBought() throws {
        var specimen = StripeSpecimen.event(
            "checkout.session.completed",
            object: [
                "id": "cs_1", "object": "checkout.session", "mode": "payment", "payment_status": "paid",
                "payment_intent": "pi_1", "metadata": ["product": "season"],
            ]
        )
        specimen.catalog = Catalog(["season": .init(kind: .nonRenewing, duration: .seconds(60))])
        #expect(try specimen.verify().observation?.kind == .nonRenewing)
        specimen.catalog = Catalog(["season": .init(kind: .subscription)])
        #expect(try specimen.verify().observation?.kind == .nonConsumable)
    }

    private static let line: JSON = [
        "period": ["start": 1_767_225_600, "end": 1_769_817_600], "pricing": ["price_details": ["price": "price_1"]],
    ]

    @Test(
        arguments: [
            ["subscription": "sub_1", "subscription_details": ["metadata": ["order": uuid]]],
            ["subscription": ["id": "sub_1", "metadata": ["order": uuid]]],
            ["parent": ["subscription_details": ["subscription": "sub_1", "metadata": ["order": uuid]]]],
            ["parent": ["subscription_details": ["subscription": ["id": "sub_1"], "metadata": ["order": uuid]]]],
        ] as [[String: JSON]]
    ) func invoiceNamesItsSubscriptionInEveryShape(_ link: [String: JSON]) throws {
        let members: [String: JSON] = [
            "id": "in_1", "object": "invoice", "status": "paid", "billing_reason": "subscription_cycle",
            "created": 1_767_225_000, "amount_paid": 999, "currency": "eur", "customer": "cus_1",
            "lines": ["data": [Self.line]],
        ]
        let event = try StripeSpecimen.event("invoice.paid", object: .object(members.merging(link) { $1 })).verify()
        let observation = try #require(event.observation)
        #expect(event.kind == .subscriptionRenewed && event.subtype == "subscription_cycle")
        #expect(observation.contract.lineage == "sub_1" && observation.token != nil)
        #expect(observation.transaction?.expiresAt?.seconds == 1_769_817_600)
        #expect(observation.transaction?.price == 9990 && observation.transaction?.product == "price_1")
    }

    @Test func invoiceOfNoSubscriptionIsKeptAndChangesNothing() throws {
        let event = try StripeSpecimen.event("invoice.paid", object: ["id": "in_1", "object": "invoice"]).verify()
        #expect(event.observation == nil && event.kind == .contractUpdated)
    }

    /// The charges of subscriptions look like those of purchases: neither may become a purchase of the customer's.
    @Test func chargeNamesNoCustomer() throws {
        let charge: JSON = [
            "id": "ch_1", "object": "charge", "payment_intent": "pi_1", "customer": "cus_1", "refunded": true,
        ]
        let event = try StripeSpecimen.event("charge.refunded", object: charge).verify()
        #expect(event.observation?.contract.lineage == "pi_1")
        #expect(event.observation?.account == nil && event.observation?.token == nil)
    }

    /// A charge does not say which of both has the row: the invoice of a subscription, or the payment, of which Checkout may
    /// have made an invoice, too.
    @Test func refundIsOneOfThePaymentAndOfItsInvoice() throws {
        let charge: JSON = [
            "id": "ch_1", "object": "charge", "payment_intent": "pi_1", "invoice": "in_1", "refunded": true,
        ]
        let dispute: JSON = [
            "id": "du_1", "object": "dispute", "payment_intent": "pi_1", "charge": ["id": "ch_1", "invoice": "in_1"],
        ]
        for (type, object) in [("charge.refunded", charge), ("charge.dispute.funds_reinstated", dispute)] {
            let stated = try StripeSpecimen.event(type, object: object).verify().observation?.charges
            #expect(stated?.map(\.id) == ["in_1", "pi_1"], "\(type)")
        }
    }

    /// A refund does not always say what it takes back; the purchase does, whichever comes first.
    @Test func refundKeepsThePurchasesProduct() throws {
        let paid: JSON = [
            "id": "cs_1", "object": "checkout.session", "mode": "payment", "payment_status": "paid",
            "payment_intent": "pi_1", "metadata": ["product": "lifetime"],
        ]
        let refund: JSON = ["id": "ch_1", "object": "charge", "payment_intent": "pi_1", "refunded": true]
        let purchase = try StripeSpecimen.event("checkout.session.completed", object: paid).verify()
        let refunded = try StripeSpecimen.event("charge.refunded", object: refund).verify()
        for events in [[purchase, refunded], [refunded, purchase]] {
            let key = try #require(purchase.observation?.contract)
            var contract = Contract(key: key, kind: .nonConsumable)
            for event in events {
                _ = contract.apply(try #require(event.observation), event: event.type, signedAt: event.signedAt)
            }
            let standing = contract.status(at: StripeSpecimen.now)
            #expect(standing?.state == .revoked && standing?.product == "lifetime")
        }
    }

    @Test(arguments: [
        ("refund.created", "succeeded", EventKind.refundRequested), ("refund.updated", "failed", .refundDeclined),
        ("refund.failed", "failed", .refundDeclined), ("charge.refund.updated", "canceled", .refundDeclined),
        ("refund.of_tomorrow", "succeeded", .providerUnknown),
    ]) func refundAloneChangesNothing(_ type: String, status: String, kind: EventKind) throws {
        let refund: JSON = ["id": "re_1", "object": "refund", "charge": "ch_1", "status": .text(status)]
        let event = try StripeSpecimen.event(type, object: refund).verify()
        #expect(event.kind == kind && event.observation == nil && event.subtype == status)
    }

    @Test func paymentIntentCountsWhenItNamesOrderAndProduct() throws {
        func observation(_ metadata: JSON) throws -> Observation? {
            let intent: JSON = ["id": "pi_1", "object": "payment_intent", "status": "succeeded", "metadata": metadata]
            return try StripeSpecimen.event("payment_intent.succeeded", object: intent).verify().observation
        }
        #expect(try observation(["order": Self.uuid, "product": "lifetime"])?.transaction?.product == "lifetime")
        #expect(try observation(["order": Self.uuid]) == nil)
        #expect(try observation(["product": "lifetime"]) == nil)
    }
}
