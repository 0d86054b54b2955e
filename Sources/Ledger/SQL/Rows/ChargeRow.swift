import Domain

/// Converts between a charge and its row.
enum ChargeRow {
    /// Those after the key, `contract` and `id`. A row without a product knows only of a refund.
    static let columns = """
        product, purchased_at, quantity, price, currency, tax, offer, is_trial, priced_at, expires_at, order_token, \
        stated_at, refund_stated_at, refunded_at, refunded, is_refunded_in_part
        """
    /// `id` and `columns`, for a join with `contracts`, which has some of the same names.
    static let selection = ("id, " + columns).split(separator: ", ").map { "charges." + $0 }.joined(separator: ", ")

    static func values(_ charge: Charge) -> [Value] {
        let terms = charge.terms
        return [
            Value(terms?.product), Value(terms?.purchasedAt), Value(terms.map { Int64($0.quantity) }),
            Value(terms?.price), Value(terms?.currency), Value(terms?.tax), Value(terms?.offer), Value(terms?.isTrial),
            Value(terms?.pricedAt), Value(terms?.expiresAt), Value(terms?.order?.description), Value(terms?.statedAt),
            Value(charge.refund?.statedAt), Value(charge.refund?.at), Value(charge.refund?.amount),
            Value(charge.refund?.isPartial),
        ]
    }

    /// Reads a `selection`.
    static func read(_ row: inout Row) -> Charge {
        var charge = Charge(id: row.text())
        if !row.skips(12) {
            let (product, purchasedAt) = (row.text(), row.instant())
            var terms = ChargeTerms(product: product, purchasedAt: purchasedAt, statedAt: purchasedAt)
            terms.quantity = Int(row.integer())
            terms.price = row.optionalInteger()
            terms.currency = row.optionalText()
            terms.tax = row.optionalInteger()
            terms.offer = row.optionalText()
            terms.isTrial = row.flag()
            terms.pricedAt = row.instant()
            terms.expiresAt = row.optionalInstant()
            terms.order = row.optionalText().flatMap { OrderToken($0) }
            terms.statedAt = row.instant()
            charge.terms = terms
        }
        if !row.skips(4) {
            let statedAt = row.instant()
            let (at, amount) = (row.optionalInstant(), row.optionalInteger())
            charge.refund = Charge.Refund(at: at, amount: amount, isPartial: row.flag(), statedAt: statedAt)
        }
        return charge
    }
}
