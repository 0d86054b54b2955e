internal import Foundation

/// A server in memory, which believes `TestStore`: what is posted is its user's and opens what the catalog says.
actor TestServer: Transport {
    private let catalog: Catalog
    /// By the stream of their user.
    private var contracts: [String: [Contract]] = [:]

    init(_ catalog: Catalog) {
        self.catalog = catalog
    }

    nonisolated func events(_ request: ServerRequest) -> AsyncStream<ServerSentEvent> { AsyncStream { $0.finish() } }

    func send(_ request: ServerRequest) throws -> ServerResponse {
        switch request.path {
        case "transactions/apple": try take(request.body ?? Data())
        case "entitlements": try answer(entitlements(of: request.query["name"] ?? ""))
        case "catalog": try answer(catalog)
        case "purchases": try answer(charges(of: request.query["name"] ?? "", product: request.query["product"]))
        default: ServerResponse(status: 404, body: Data(#"{"error":"not_found"}"#.utf8))
        }
    }

    private func take(_ body: Data) throws -> ServerResponse {
        let post = try JSONDecoder().decode(Post.self, from: body)
        let product = String(post.signedTransaction.split(separator: "/").dropFirst().first ?? "")
        let opens = catalog.products.first { $0.id == product }?.entitlements ?? []
        let contract = Contract(product: product, state: "active", active: !opens.isEmpty, entitlements: opens)
        contracts[post.stream, default: []].append(contract)
        return ServerResponse(status: 200, body: Data(#"{"outcome":"applied","event":"test","claim":"yours"}"#.utf8))
    }

    private func entitlements(of stream: String) -> Entitlements {
        let held = contracts[stream] ?? []
        let open = Set(held.filter(\.active).flatMap { $0.entitlements ?? [] })
        let named = catalog.entitlements.map { ($0.name, Entitlement(active: open.contains($0.name))) }
        let isMain = catalog.entitlements.first.map { open.contains($0.name) } ?? false
        return Entitlements(active: isMain, entitlements: Dictionary(named) { first, _ in first }, contracts: held)
    }

    private func charges(of stream: String, product: String?) -> ChargePage {
        let bought = (contracts[stream] ?? []).map(\.product).reversed().filter { product == nil || $0 == product }
        return ChargePage(purchases: bought.map { Charge(product: $0, quantity: 1) }, next: nil)
    }

    private func answer(_ value: some Encodable) throws -> ServerResponse {
        ServerResponse(status: 200, body: try JSONEncoder().encode(value))
    }

    private struct Post: Decodable {
        var stream: String
        var signedTransaction: String
    }

    /// One user's, without a backend.
    struct Orders: OrderSource {
        func order(for product: String) -> Order { Order(token: UUID(), stream: "test") }
    }
}

extension Purchases {
    /// For previews and tests: everything can be bought, and nothing outlives the process.
    ///
    /// - Parameter opening: What each product opens, such as `["pro.annual": ["pro"]]`. What is not there opens nothing.
    public static func inMemory(store: TestStore, opening: [String: [String]]) -> Purchases {
        let names = Set(opening.values.joined()).sorted().map { Catalog.Entitlement(name: $0) }
        let products = opening.sorted { $0.key < $1.key }.map { Catalog.Product(id: $0.key, entitlements: $0.value) }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        return Purchases(
            PurchaseEngine.Parts(
                store: store,
                server: PaycastServer(transport: TestServer(Catalog(entitlements: names, products: products))),
                disk: Disk(folder: folder),
                orders: TestServer.Orders()
            )
        )
    }
}
