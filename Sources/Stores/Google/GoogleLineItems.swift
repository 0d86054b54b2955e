internal import Domain

/// The products of one purchase, each once; the first one represents the purchase.
///
/// Google's order means nothing and differs between answers, so we sort: products in the catalog before others, then by
/// level, then by the product's id.
struct GoogleLineItems {
    let items: [(product: String, item: StoreObject)]

    init(_ listed: [StoreObject], catalog: Catalog) {
        var newest: [String: StoreObject] = [:]
        for item in listed {
            guard let product = item.text("productId") else { continue }
            let known = newest[product]?.date("expiryTime")
            let end = item.date("expiryTime")
            if let known, known >= end ?? known { continue }
            newest[product] = item
        }
        items = newest.map { ($0.key, $0.value) }.sorted { left, right in
            let a = catalog[left.0]
            let b = catalog[right.0]
            guard (a == nil) == (b == nil) else { return a != nil }
            guard (a?.level ?? 0) == (b?.level ?? 0) else { return (a?.level ?? 0) > (b?.level ?? 0) }
            return left.0.utf8.lexicographicallyPrecedes(right.0.utf8)
        }
    }
}
