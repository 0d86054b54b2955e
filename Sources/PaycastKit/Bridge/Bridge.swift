internal import Foundation

/// Answers the messages of pages. The native component holds no logic: it passes JSON on, both ways.
struct Bridge: Sendable {
    let purchases: Purchases
    var isNews = false

    /// Always answers: a page that hears nothing would stay busy for ever.
    func handle(_ event: String, json: Data) async -> Data {
        do {
            return try await answer(event, json: json)
        } catch PurchaseError.cancelled {
            return (try? encode(PurchaseReply(status: "cancelled"))) ?? Data()
        } catch {
            let code = (error as? PurchaseError)?.code ?? "invalid_message"
            return (try? encode(PurchaseReply(status: "error", error: code))) ?? Data()
        }
    }

    private func answer(_ event: String, json: Data) async throws -> Data {
        switch event {
        case "prices": try encode(await prices(decode(json)))
        case "purchase": try encode(await purchase(decode(json)))
        case "restore": try encode(await restore(decode(json)))
        case "manage": try encode(await shown { () throws(PurchaseError) in try await purchases.manageSubscriptions() })
        case "redeem": try encode(await redeem(decode(json)))
        case "refund": try encode(await refund(decode(json)))
        case "appTransaction": try encode(await purchases.appTransaction())
        case "state": try encode(await state(decode(json)))
        default: try encode(PurchaseReply(status: "error", error: "unknown_event"))
        }
    }

    private func prices(_ message: PricesMessage) async throws(PurchaseError) -> PricesReply {
        let ids = message.products.map(\.product)
        var products = try await purchases.products(ids)
        if message.eligibility == true { products = await purchases.withEligibility(products) }
        let prices = Dictionary(products.map { ($0.id, $0.displayPrice) }) { first, _ in first }
        let terms = Dictionary(products.map { ($0.id, $0) }) { first, _ in first }
        let missing = ids.filter { prices[$0] == nil }
        return PricesReply(prices: prices, terms: terms, missing: missing)
    }

    private func purchase(_ message: PurchaseMessage) async throws(PurchaseError) -> PurchaseReply {
        let order = message.order.map { Order(token: $0, stream: message.stream) }
        let offer = message.offer.map { PurchaseOffer.named(id: $0) }
        return PurchaseReply(try await purchases.buy(message.product, order: order, offer: offer))
    }

    /// What is restored becomes the page's user's, so the page says who that is.
    private func restore(_ message: StateMessage) async throws(PurchaseError) -> PurchaseReply {
        try await purchases.act(for: message.stream)
        return PurchaseReply(try await purchases.restore(for: message.stream))
    }

    /// A code brings a transaction that names nobody: it is the page's user's.
    private func redeem(_ message: StateMessage) async throws(PurchaseError) -> PurchaseReply {
        try await purchases.act(for: message.stream)
        return try await shown { () throws(PurchaseError) in try await purchases.redeemOfferCode() }
    }

    private func refund(_ message: PageProduct) async throws(PurchaseError) -> PurchaseReply {
        PurchaseReply(status: try await purchases.requestRefund(of: message.product).rawValue)
    }

    private func shown(_ sheet: () async throws(PurchaseError) -> Void) async throws(PurchaseError) -> PurchaseReply {
        try await sheet()
        return PurchaseReply(status: "shown")
    }

    private func state(_ message: StateMessage) async -> StateReply {
        if let stream = message.stream, !isNews { purchases.pageAppeared(stream) }
        let (state, open, kept) = await purchases.summary(for: message.stream)
        var reply = StateReply(
            entitlements: state.entitlements?.entitlements ?? [:],
            purchases: open,
            kept: kept
        )
        switch state {
        case .unknown: break
        case .current: reply.status = "current"
        case .onDevice: reply.status = "on_device"
        case .lastKnown(_, let date):
            reply.status = "last_known"
            reply.knownAt = date
        }
        return reply
    }

    private func decode<Message: Decodable>(_ json: Data) throws -> Message {
        // A message without data is an empty object.
        try JSONDecoder().decode(Message.self, from: json.isEmpty ? Data("{}".utf8) : json)
    }

    private func encode(_ reply: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in try Instant.text(of: date).encode(to: encoder) }
        return try encoder.encode(reply)
    }
}
