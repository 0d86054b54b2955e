internal import Domain
internal import Gateway
internal import Ledger

/// `GET /users/{user}`: the current contracts and orders of a user.
struct UserRecordEndpoint {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    private struct Record: Encodable {
        var user: UserID
        /// The stream that the user's pages follow.
        var stream: String
        /// The locale that the app reported last; left out if it never reported one.
        var locale: String?
        var active: Bool
        var contracts: [ContractItem]
        var orders: [OrderItem]
        var since: String
    }

    func answer(_ user: UserID) -> Answer {
        guard isValidIdentifier(user.text), let stream = services.streams.stream(for: user) else {
            return .respond(UsersEndpoint.invalidUser)
        }
        return .later { [reader = services.reader] reply in
            reader.record(of: user) { result in
                guard case .success(let found) = result else { return reply.send(UsersEndpoint.unavailable) }
                let record = Record(
                    user: user,
                    stream: stream.text,
                    locale: found.language?.text,
                    active: found.isActive,
                    contracts: found.contracts.map(ContractItem.init),
                    orders: found.orders.map(OrderItem.init),
                    since: found.head.description
                )
                reply.send(JSON.response(200, record))
            }
        }
    }
}

/// An entitlement, with the details that support asks about. Absent values are `null`.
private struct ContractItem: Encodable {
    var record: ContractRecord

    private enum Key: String, CodingKey {
        case app, kind, owner, sharedWith, order, account, replaces, purchasedAt, revokedAt, price, currency, statedAt
    }

    func encode(to encoder: any Encoder) throws {
        try UsersEndpoint.Item(entitlement: record.entitlement).encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(record.app, forKey: .app)
        try container.encode(record.kind.rawValue, forKey: .kind)
        try container.encode(record.owner, forKey: .owner)
        try container.encode(record.sharedWith, forKey: .sharedWith)
        try container.encode(record.order?.description, forKey: .order)
        try container.encode(record.account, forKey: .account)
        try container.encode(record.replaces, forKey: .replaces)
        try container.encode(record.charge?.purchasedAt.iso8601, forKey: .purchasedAt)
        try container.encode(record.charge?.revokedAt?.iso8601, forKey: .revokedAt)
        // In thousandths of the currency's unit.
        try container.encode(record.charge?.price, forKey: .price)
        try container.encode(record.charge?.currency, forKey: .currency)
        try container.encode(record.statedAt?.iso8601, forKey: .statedAt)
    }
}
