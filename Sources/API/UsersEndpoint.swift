internal import Domain
internal import Gateway
internal import HTTP1
internal import Ledger

/// `GET /users/{user}/entitlements` and `/stream`.
struct UsersEndpoint {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    private struct HeldContract: Encodable {
        var user: UserID
        var active: Bool
        var entitlements: [Item]
        var since: String
    }

    /// Absent values are `null`, not left out, so that a reader sees every member.
    struct Item: Encodable {
        var entitlement: Entitlement

        private enum Key: String, CodingKey {
            case product, group, state, active, accessUntil, autoRenew, pendingProduct, provider, environment
            case contract, family, quantity
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(entitlement.product, forKey: .product)
            try container.encode(entitlement.group, forKey: .group)
            try container.encode(entitlement.state.rawValue, forKey: .state)
            try container.encode(entitlement.isActive, forKey: .active)
            try container.encode(entitlement.accessUntil?.iso8601, forKey: .accessUntil)
            try container.encode(entitlement.autoRenew, forKey: .autoRenew)
            try container.encode(entitlement.pendingProduct, forKey: .pendingProduct)
            try container.encode(entitlement.provider.rawValue, forKey: .provider)
            try container.encode(entitlement.environment.rawValue, forKey: .environment)
            try container.encode(entitlement.contract, forKey: .contract)
            try container.encode(entitlement.isFamilyShared, forKey: .family)
            // Only consumables have it, so that other products keep the members that they always had.
            try container.encodeIfPresent(entitlement.quantity, forKey: .quantity)
        }
    }

    func entitlements(of user: UserID) -> Answer {
        guard isValidIdentifier(user.text) else { return .respond(UsersEndpoint.invalidUser) }
        return .later { [reader = services.reader] reply in
            reader.entitlements(of: user) { result in
                guard case .success(let held) = result else { return reply.send(UsersEndpoint.unavailable) }
                reply.send(
                    JSON.response(
                        200,
                        HeldContract(
                            user: user,
                            active: held.isActive,
                            entitlements: held.entitlements.map(Item.init),
                            since: held.since.description
                        )
                    )
                )
            }
        }
    }

    func stream(of user: UserID, _ request: Request) -> Answer {
        guard let addresses = PageAddresses(services, request) else { return .respond(Access.noSigner) }
        guard addresses.page(of: user, since: Cursor(epoch: services.epoch, position: 0)) != nil else {
            return .respond(UsersEndpoint.invalidUser)
        }
        let (reader, writer) = (services.reader, services.writer)
        let sendPage = { @Sendable (reply: Reply) in
            reader.head { result in
                guard case .success(let head) = result, let page = addresses.page(of: user, since: head) else {
                    return reply.send(UsersEndpoint.unavailable)
                }
                reply.send(JSON.response(200, page))
            }
        }
        guard let locale = request.query["locale"] else { return .later(sendPage) }
        guard let language = LanguageTag(locale) else { return .respond(RefusedBody.locale.response) }
        // Stored first, so that everything the page is sent after its cursor is in its language.
        return .later { reply in
            UserLanguages(writer: writer, reader: reader).note(language, of: user) { result in
                guard case .success = result, sendPage(reply) else { return reply.send(UsersEndpoint.unavailable) }
            }
        }
    }

    static let invalidUser = Response.error(
        400,
        "invalid_user",
        "A user id must have 1 to 255 bytes and no control characters."
    )
    static let unavailable = Response.unavailable(
        "ledger_unavailable",
        "The ledger could not be read; try again."
    )
}
