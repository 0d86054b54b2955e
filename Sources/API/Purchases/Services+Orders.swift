import APIModel
import Domain
import Encoding
import Ledger
import Pages
import Support

extension Services {
    /// `POST /orders`: creates the token that a purchase carries, and returns everything that a page needs to wait for the
    /// purchase.
    func createOrder(_ request: Request) throws(RefusedBody) -> Answer {
        guard let addresses = PageAddresses(self, request: request) else { return .respond(Authorization.noSigner) }
        let node = try RefusedBody.object(request.body, instead: "Send {\"user\":…,\"product\":…} as JSON strings.")
        let body = try CreateOrderRequest(node)
        var order = try order(body)
        order.locale = try UserLocale(locale: body.locale, timeZone: body.timeZone)
        order.context = try OrderContext(body, origins: authorization.origins, request)
        order.trace = request.trace
        let act = act(.order, of: request, user: order.user)
        return .later { [order, writer, log = log.tracing(order.trace)] reply in
            let command = LedgerCommand.order(order) { result in
                if let placed = try? result.get() {
                    log.step("order placed", fields: ["new": placed.isNew, "cursor": placed.since])
                }
                reply.send(Services.response(to: result, addresses: addresses))
            }
            return writer.submit(.audited(command, by: act))
        }
    }

    private func order(_ body: CreateOrderRequest) throws(RefusedBody) -> OrderRequest {
        try RefusedBody.check(body.user.text, or: .invalidUser)
        try RefusedBody.check(body.product, or: .invalidProduct)
        try RefusedBody.check(body.group, or: .invalidGroup)
        let provider = body.provider.map(Provider.init)
        guard provider.map(stores.contains) ?? true else {
            let names = stores.map(\.rawValue).joined(separator: ", ")
            throw RefusedBody("invalid_provider", message: "provider must be one of \(names).")
        }
        let kind = body.kind.flatMap(ProductKind.init)
        guard body.kind == nil || kind != nil else {
            let names = ProductKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw RefusedBody("invalid_kind", message: "kind must be one of \(names).")
        }
        let token = body.token.flatMap(OrderToken.init)
        guard body.token == nil || token != nil else {
            throw RefusedBody("invalid_token", message: "token must be a UUID.")
        }
        var request = OrderRequest(user: body.user, product: body.product)
        (request.provider, request.group) = (provider, body.group)
        (request.kind, request.token) = (kind, token)
        return request
    }

    private static func response(to result: Result<OrderResult, OrderError>, addresses: PageAddresses) -> Response {
        switch result {
        case .success(let result):
            guard let page = addresses.page(of: result.order.user, since: result.since, ending: result.ending) else {
                return .error(400, code: "invalid_user", message: "This user id cannot be in a stream name.")
            }
            return JSON.response(201, body: CreateOrderAnswer(result.order, stream: page))
        case .failure(.tokenTaken):
            return .error(
                409,
                code: "token_taken",
                message: "The token belongs to another user's order; mint a new one."
            )
        case .failure(.ledger):
            return .uncommitted
        }
    }
}

extension CreateOrderRequest {
    init(_ node: JSONNode) throws(RefusedBody) {
        self.init(
            user: UserID(try RefusedBody.requiredString("user", of: node)),
            product: try RefusedBody.requiredString("product", of: node)
        )
        provider = try RefusedBody.string("provider", of: node)
        group = try RefusedBody.string("group", of: node)
        kind = try RefusedBody.string("kind", of: node)
        token = try RefusedBody.string("token", of: node)
        locale = try RefusedBody.string("locale", of: node)
        timeZone = try RefusedBody.string("time_zone", of: node)
        successUrl = try RefusedBody.string("success_url", of: node)
        if let given = node["metadata"], given != .null {
            guard let texts = given.texts else { throw RefusedBody.metadata }
            metadata = texts
        }
    }
}

extension OrderContext {
    fileprivate init(_ body: CreateOrderRequest, origins: OriginCheck, _ request: Request) throws(RefusedBody) {
        self.init()
        if let address = body.successUrl {
            guard address.utf8.count <= OrderContext.addressLimit, origins.admits(address, linkedBy: request) else {
                throw RefusedBody(
                    "invalid_success_url",
                    message: "success_url must be a path that begins with one slash, or an address of this server's "
                        + "origin or of one in PAYCAST_ALLOWED_ORIGINS: up to \(OrderContext.addressLimit) characters of "
                        + "ASCII."
                )
            }
            successURL = address
        }
        let words = body.metadata ?? [:]
        let areShort = words.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } <= OrderContext.metadataLimit
        let areFit = words.allSatisfy { name, value in
            OrderContext.isName(name) && (value.isEmpty || isValidIdentifier(value, limit: OrderContext.valueLimit))
        }
        guard areShort, areFit else { throw RefusedBody.metadata }
        metadata = words
    }
}

extension RefusedBody {
    fileprivate static let metadata = RefusedBody(
        "invalid_metadata",
        message: "metadata must be an object of strings: names of 1 to 40 letters, digits and _, values of up to "
            + "\(OrderContext.valueLimit) bytes without control characters, \(OrderContext.metadataLimit) bytes in all."
    )
}
