/// How long what is bought once gives access, where its store does not say.
extension Catalog {
    /// Nil for an option of a product (Google's rentals) that the catalog does not name as `PRODUCT:OPTION`: the store alone
    /// knows how long it lasts. A product without an option has the usual term unless the catalog says otherwise.
    public func duration(of product: String, option: String?) -> CalendarDuration? {
        guard let option else { return self[product]?.duration ?? Contract.nonRenewingTerm }
        return self[Catalog.name(of: product, option: option)]?.duration
    }

    /// True for a rental that opens nothing until the catalog says how long it lasts.
    public func isUnnamedRental(_ charge: Transaction) -> Bool {
        charge.option != nil && charge.expiresAt == nil && duration(of: charge.product, option: charge.option) == nil
    }

    /// `PRODUCT:OPTION`, or the product that has no options.
    public static func name(of product: String, option: String?) -> String {
        option.map { "\(product):\($0)" } ?? product
    }
}
