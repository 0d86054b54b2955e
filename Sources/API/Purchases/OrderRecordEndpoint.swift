import APIModel
import Domain
import Ledger
import Pages

/// `GET /orders/{token}`: the answer of `POST /orders`, and the outcome of the order.
struct OrderRecordEndpoint {
    let services: Services

    func answer(_ token: String, request: Request) -> Answer {
        guard let addresses = PageAddresses(services, request: request) else { return .respond(Authorization.noSigner) }
        guard let token = OrderToken(token) else { return .respond(OrderRecordEndpoint.unknown) }
        return .later { [reader = services.reader] reply in
            reader.ask({ try $0.order(token) }) { result in
                reply.send(result) { found in
                    guard let record = found.order else { return OrderRecordEndpoint.unknown }
                    // The user id matched the pattern that the server used when the order was created.
                    guard let page = addresses.page(of: record.order.user, since: found.head) else {
                        return UsersEndpoint.invalidUser
                    }
                    return JSON.response(200, body: OrderAnswer(order: OrderItem(record), stream: page))
                }
            }
        }
    }

    private static let unknown = Response.error(
        404,
        code: "unknown_order",
        message: "There is no order with this token."
    )
}

extension OrderItem {
    init(_ record: OrderRecord) {
        self.init(
            record.order,
            createdAt: record.createdAt,
            state: record.state.rawValue,
            purchases: record.purchases.map(OrderPurchaseItem.init),
            quarantined: record.contradictions.map(OrderEventItem.init)
        )
    }
}

extension OrderPurchaseItem {
    fileprivate init(_ purchase: OrderPurchase) {
        self.init(
            purchase.contract,
            user: purchase.user,
            product: purchase.product,
            state: purchase.state,
            purchasedAt: purchase.boughtAt,
            event: purchase.event.map(OrderEventItem.init)
        )
    }
}

extension OrderEventItem {
    fileprivate init(_ event: OrderEvent) {
        self.init(event: event.id, cursor: event.cursor, at: event.committedAt)
    }
}
