/// A token that a statement carried, and the date of the charge that carried it.
struct StatedToken {
    var token: OrderToken
    var at: Instant
    /// True if the charge was bought with the token. A renewal only shows that the token existed before.
    var isPurchase: Bool

    init?(_ observation: Observation, of event: Event) {
        guard let token = observation.token else { return nil }
        self.token = token
        at = observation.transaction?.purchasedAt ?? event.signedAt
        isPurchase = observation.isPurchase && observation.transaction != nil
    }
}

/// The dates of the first charge that carried a token and of the last one that was bought with it. Under every policy,
/// charges between them change nothing.
public struct TokenDates: Sendable, Equatable {
    public var first: Instant
    public var last: Instant?

    public init(first: Instant, last: Instant?) {
        self.first = first
        self.last = last
    }

    init(_ said: StatedToken) {
        first = said.at
        last = said.isPurchase ? said.at : nil
    }

    var all: Set<Instant> { Set([first, last].compactMap { $0 }) }

    mutating func add(_ other: TokenDates) {
        first = min(first, other.first)
        last = [last, other.last].compactMap { $0 }.max()
    }

    /// True if `other` adds something to these dates: an earlier charge, or a later purchase. A purchase at the time of
    /// the first charge counts if no purchase is known.
    func lacks(_ other: TokenDates) -> Bool {
        guard other.first >= first else { return true }
        guard let purchase = other.last else { return false }
        return last.map { purchase > $0 } ?? (purchase >= first)
    }
}
