import API
import Domain
import Stores

/// What a user pays for more than once, in words: what renews, which one can go, and where it is cancelled.
struct DoublePaymentSentence {
    let payment: PaidTwice

    /// `Pays twice for pro: at Apple (pro.monthly, 9.99 EUR, again on 3 January 2026) and at Stripe (pro.annual).`
    var what: String {
        let places = payment.renewals.map { renewal in
            let test = renewal.isTest ? renewal.environment : nil
            let price = StoreWords.price(renewal.price, currency: renewal.currency)
            let again = renewal.renewsAt?.instant.map { "again on \($0.longDate)" }
            let facts = [renewal.product, price, again, test].compactMap { $0 }.joined(separator: ", ")
            return "at \(StoreWords.store(renewal.store)) (\(facts))"
        }
        let number = payment.renewals.count
        return "Pays \(number == 2 ? "twice" : "\(number) times") for \(access): \(StoreWords.list(places))."
    }

    private var access: String {
        let names = payment.entitlements.filter { $0 != EntitlementName.standard.description }
        return names.isEmpty ? "the same access" : StoreWords.list(names)
    }

    var next: String {
        let spare = payment.renewals.filter(\.dispensable)
        guard !spare.isEmpty else {
            let ways = payment.renewals.map { "The one at \(StoreWords.store($0.store)): \(way(to: $0))." }
            return "Each opens something that the others do not: ask the customer which one to keep. "
                + ways.joined(separator: " ")
        }
        let ways = spare.map { "Cancel \($0.product) at \(StoreWords.store($0.store)): \(way(to: $0))." }
        return
            "One is enough. \(ways.joined(separator: " ")) Access goes on by the other one. Only the store gives back "
            + "what was paid too much."
    }

    private func way(to renewal: PaidTwice.Renewal) -> String {
        switch Stores.named(renewal.store)?.cancelPage(of: renewal.contract, isTest: renewal.isTest) {
        case .buyers(let address): return "the customer does it at \(address)"
        case .sellers(let address): return "you do it at \(address), or the customer does in your own account pages"
        case nil: return "the customer does it where it was bought"
        }
    }
}

extension PaidTwice.Renewal {
    fileprivate var isTest: Bool { environment != StoreEnvironment.production.rawValue }
}
