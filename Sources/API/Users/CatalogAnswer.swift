public import APIModel
import Domain
import HTTP
import Pages
import Support

extension Services {
    /// `GET /catalog`: what the app sells, for offers that it shows itself. Any page of any origin may read it, and it has a tag.
    func catalog(_ request: Request) -> Answer {
        if request.method == "OPTIONS" {
            var response = Response(status: 204, headers: [("Allow", request.route.methods)])
            response.headers +=
                CatalogAnswer.anyOrigin + [
                    ("Access-Control-Allow-Methods", "GET"), ("Access-Control-Allow-Headers", "If-None-Match"),
                    ("Access-Control-Max-Age", "600"),
                ]
            return .respond(response)
        }
        let language = request.query["locale"].map { LanguageTag($0) }
        if case .some(nil) = language {
            var response = RefusedBody.locale.response
            response.headers += CatalogAnswer.anyOrigin
            return .respond(response)
        }
        let body = JSON.encode(CatalogAnswer(catalogs.value, in: language ?? nil))
        let tag = EntityTag.of(body)
        let headers: [(name: String, value: String)] =
            CatalogAnswer.anyOrigin + [
                ("ETag", tag), ("Cache-Control", "no-cache"), ("Access-Control-Expose-Headers", "ETag"),
            ]
        guard !EntityTag.isKnown(tag, ifNoneMatch: request.head[.ifNoneMatch]) else {
            return .respond(Response(status: 304, headers: headers))
        }
        return .respond(
            Response(status: 200, headers: headers + [("Content-Type", "application/json")], body: body)
        )
    }
}

/// Answers `GET /catalog`: what `PAYCAST_CATALOG` names, in its order.
public struct CatalogAnswer: Codable, Sendable, Equatable {
    public struct EntitlementItem: Codable, Sendable, Equatable {
        public var name: String
        /// What it is called on pages; null if the catalog does not say.
        @Nullable public var title: String?
    }

    public struct ProductItem: Codable, Sendable, Equatable {
        /// The store's product id.
        public var id: String
        /// What it is called on pages; null if the catalog does not say.
        @Nullable public var name: String?
        /// A `ProductKind`; null if the catalog leaves it to the store.
        @Nullable public var kind: String?
        /// In which one product is active at a time; null if the catalog names none.
        @Nullable public var group: String?
        /// The names of the entitlements that it opens.
        public var entitlements: [String]
    }

    /// The main one first.
    public var entitlements: [EntitlementItem]
    public var products: [ProductItem]

    init(_ catalog: Catalog, in language: LanguageTag? = nil) {
        entitlements = catalog.entitlements.map {
            EntitlementItem(name: $0.description, title: catalog.titles[$0]?.text(in: language))
        }
        products = catalog.productIDs.compactMap { id in
            guard let product = catalog[id] else { return nil }
            let opened = catalog.opened(by: id, kind: product.kind ?? .subscription, at: .apple, stated: nil)
            return ProductItem(
                id: id,
                name: product.name?.text(in: language),
                kind: product.kind?.rawValue,
                group: product.group,
                entitlements: opened.map(\.description)
            )
        }
    }

    /// As for `/paycast.js`.
    fileprivate static let anyOrigin: [(name: String, value: String)] = [
        ("Access-Control-Allow-Origin", "*"), ("Cross-Origin-Resource-Policy", "cross-origin"),
    ]
}
