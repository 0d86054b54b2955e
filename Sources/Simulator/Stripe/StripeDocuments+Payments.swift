internal import Domain

extension StripeDocuments {
    var invoice: WireJSON {
        let reason = event.subtype ?? "subscription_cycle"
        let isPaid = event.type == "invoice.paid" || event.type == "invoice.payment_succeeded"
        var line: WireJSON = [
            "id": .text(id("il")), "object": "line_item",
            "period": ["start": seconds(model.periodStart), "end": seconds(model.periodEnd)],
        ]
        var document: WireJSON = [
            "id": .text(id("in")), "object": "invoice", "created": seconds(event.now),
            "billing_reason": .text(reason), "customer": .text(customer), "currency": "usd",
            "status": isPaid ? "paid" : "open", "amount_paid": .number(isPaid ? model.price.price / 10 : 0),
            "metadata": [:],
        ]
        let details: WireJSON = ["subscription": .text(model.id), "metadata": metadata]
        if shape == .current {
            line["pricing"] = ["price_details": ["price": .text(model.price.id), "product": "prod_0"]]
            document["parent"] = ["type": "subscription_details", "subscription_details": details]
        } else {
            line["price"] = price(model.price)
            document["subscription"] = .text(model.id)
            document["subscription_details"] = ["metadata": metadata]
        }
        document["lines"] = ["object": "list", "data": .list([line])]
        return document
    }

    var paymentIntent: WireJSON {
        let status = event.type.split(separator: ".").last.map(String.init) ?? ""
        return [
            "id": .text(id("pi")), "object": "payment_intent", "status": .text(status), "customer": .text(customer),
            "created": seconds(event.now - .seconds(30)), "metadata": metadata, "currency": "usd",
            "amount_received": .number(status == "succeeded" ? product.price / 10 : 0),
        ]
    }

    /// The metadata of a one-time purchase reaches its charge if `payment_intent_data` contains them; the charge of an
    /// invoice has none.
    var charge: WireJSON {
        let amount = product.price / 10
        let isPartial = event.subtype == "partial"
        var document: WireJSON = [
            "id": .text(id("ch")), "object": "charge", "amount": .number(amount), "currency": "usd",
            "amount_refunded": .number(isPartial ? amount / 2 : amount), "refunded": .flag(!isPartial),
            "customer": .text(customer), "payment_intent": .text(id("pi")),
            "metadata": isSubscription ? [:] : metadata, "livemode": .flag(event.environment == .production),
        ]
        if shape == .before2025 { document["invoice"] = isSubscription ? .text(id("in")) : .null }
        return document
    }

    var refund: WireJSON {
        let status = event.type == "refund.failed" ? "failed" : event.subtype ?? "succeeded"
        return [
            "id": .text(id("re")), "object": "refund", "amount": .number(product.price / 10), "currency": "usd",
            "charge": .text(id("ch")), "payment_intent": .text(id("pi")), "status": .text(status), "metadata": [:],
        ]
    }

    var dispute: WireJSON {
        let isClosed = event.type == "charge.dispute.closed"
        return [
            "id": .text(id("du")), "object": "dispute", "amount": .number(product.price / 10), "currency": "usd",
            "charge": .text(id("ch")), "payment_intent": .text(id("pi")), "metadata": [:],
            "status": .text(isClosed ? event.subtype ?? "lost" : event.subtype ?? "needs_response"),
        ]
    }

    var schedule: WireJSON {
        let isReleased = event.type == "subscription_schedule.released"
        let next = model.nextPrice ?? model.price.id
        return [
            "id": .text(id("sub_sched")), "object": "subscription_schedule", "customer": .text(customer),
            "status": isReleased ? "released" : "active", "subscription": isReleased ? .null : .text(model.id),
            "released_subscription": isReleased ? .text(model.id) : .null,
            "current_phase": ["start_date": seconds(model.periodStart), "end_date": seconds(model.periodEnd)],
            "phases": [
                ["start_date": seconds(model.periodStart), "items": [["price": .text(model.price.id)]]],
                ["start_date": seconds(model.periodEnd), "items": [["price": .text(next)]]],
            ],
        ]
    }
}
