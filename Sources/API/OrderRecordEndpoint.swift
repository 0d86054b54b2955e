internal import Domain
internal import Gateway
internal import Ledger

/// `GET /orders/{token}`: what `POST /orders` answered, and what became of the order.
struct OrderRecordEndpoint {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    private struct Found: Encodable {
        var order: OrderItem
        var page: PageAddresses.Page

        private enum Key: String, CodingKey {
            case stream, signedStream, since, sse, websocket
        }

        func encode(to encoder: any Encoder) throws {
            try order.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(page.stream, forKey: .stream)
            try container.encode(page.signedStream, forKey: .signedStream)
            try container.encode(page.since, forKey: .since)
            try container.encode(page.sse, forKey: .sse)
            try container.encode(page.websocket, forKey: .websocket)
        }
    }

    func answer(_ token: String, _ request: Request) -> Answer {
        guard let addresses = PageAddresses(services, request) else { return .respond(Access.noSigner) }
        guard let token = OrderToken(token) else { return .respond(OrderRecordEndpoint.unknown) }
        return .later { [reader = services.reader] reply in
            reader.order(token) { result in
                guard case .success(let found) = result else { return reply.send(UsersEndpoint.unavailable) }
                guard let record = found.order else { return reply.send(OrderRecordEndpoint.unknown) }
                // The user id fit the pattern that the server used when the order was created.
                guard let page = addresses.page(of: record.order.user, since: found.head) else {
                    return reply.send(UsersEndpoint.invalidUser)
                }
                reply.send(JSON.response(200, Found(order: OrderItem(record), page: page)))
            }
        }
    }

    private static let unknown = Response.error(404, "unknown_order", "There is no order with this token.")
}
