public import Foundation

/// The messages of pages. The native component holds no logic: it passes JSON on, both ways.
extension Purchases {
    /// Answers one message of a page: `prices`, `purchase`, `restore`, `manage`, `redeem`, `refund`, `state` or
    /// `appTransaction`, with JSON in and out. Always answers: a page that hears nothing would stay busy for ever.
    ///
    /// - Parameter isNews: The question of before is answered again, so no page appears by it, and logs nobody in.
    public func handle(_ event: String, json: Data, isNews: Bool = false) async -> Data {
        start()
        let reply: any Encodable
        do {
            reply = try await answer(event, json: json, isNews: isNews)
        } catch PurchaseError.cancelled {
            reply = PurchaseReply(status: "cancelled")
        } catch {
            reply = PurchaseReply(status: "error", error: (error as? PurchaseError)?.code ?? "invalid_message")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in try Instant.text(of: date).encode(to: encoder) }
        return (try? encoder.encode(reply)) ?? Data()
    }

    private func answer(_ event: String, json: Data, isNews: Bool) async throws -> any Encodable {
        // A message without data is an empty object.
        func message() throws -> PageMessage {
            try JSONDecoder().decode(PageMessage.self, from: json.isEmpty ? Data("{}".utf8) : json)
        }
        switch event {
        case "prices": return try await prices(message())
        case "purchase": return try await purchase(message())
        // What is restored, and what a code brings, becomes the page's user's, so the page says who that is.
        case "restore":
            let stream = try message().stream
            try await act(for: stream)
            return PurchaseReply(try await restore(for: stream))
        case "redeem":
            try await act(for: message().stream)
            try await redeemOfferCode()
        case "manage": try await manageSubscriptions()
        case "refund": return PurchaseReply(status: try await requestRefund(of: message().requiredProduct).rawValue)
        case "appTransaction": return try await appTransaction()
        case "state": return await state(try message(), isNews: isNews)
        default: return PurchaseReply(status: "error", error: "unknown_event")
        }
        return PurchaseReply(status: "shown")
    }

    private func prices(_ message: PageMessage) async throws -> PricesReply {
        guard let ids = try message.products?.map({ try $0.requiredProduct }) else { throw PageMessage.Incomplete() }
        var known = try await products(ids)
        if message.eligibility == true { known = await withEligibility(known) }
        let terms = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
        return PricesReply(
            prices: terms.mapValues(\.displayPrice),
            terms: terms,
            missing: ids.filter { terms[$0] == nil }
        )
    }

    private func purchase(_ message: PageMessage) async throws -> PurchaseReply {
        let order = (message.order ?? message.userId?.uuid).map { Order(token: $0, stream: message.stream) }
        let offer = message.offer.map { PurchaseOffer.named(id: $0) }
        return PurchaseReply(try await buy(message.requiredProduct, order: order, offer: offer))
    }

    /// For the user of a page, or for whom the app has logged in if the page names nobody: never for the page's before.
    private func act(for stream: SignedStream?) async throws(PurchaseError) {
        if let stream { return engine.send(.pageActed(stream)) }
        if await engine.ask({ $0.appSession }) ?? nil == nil { throw .notLoggedIn }
    }

    private func state(_ message: PageMessage, isNews: Bool) async -> StateReply {
        if let stream = message.stream, !isNews { engine.send(.pageAppeared(stream)) }
        let (state, open, kept) = await engine.summary(for: message.stream)
        var reply = StateReply(entitlements: state.entitlements?.entitlements ?? [:], purchases: open, kept: kept)
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
}
