import Domain
import Encoding
import HTTPClient

/// What customers have in hand: the number of an invoice or of a receipt, or the e-mail address with which they paid.
extension StripeAPI {
    enum LookupName: Equatable {
        /// `ABCD1234-0001`
        case invoice
        /// `1234-5678`
        case receipt
        case email

        init?(_ name: String) {
            let parts = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            if name.utf8.count <= 254, name.utf8.split(separator: UInt8(ascii: "@")).count == 2,
                name.utf8.allSatisfy({ $0 > 32 && $0 != 127 && $0 != UInt8(ascii: "\"") })
            {
                self = .email
            } else if parts.count == 2, parts.allSatisfy({ $0.count == 4 && $0.allSatisfy { (48...57).contains($0) } })
            {
                self = .receipt
            } else if (2...4).contains(parts.count), name.utf8.count <= 40,
                parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isLetterOrDigit) }),
                parts.last.map({ $0.count >= 3 && $0.allSatisfy { (48...57).contains($0) } }) == true
            {
                self = .invoice
            } else {
                return nil
            }
        }

        var kind: String {
            switch self {
            case .invoice: "an invoice's number"
            case .receipt: "a receipt's number"
            case .email: "an e-mail address"
            }
        }
    }

    /// The subscriptions that an invoice paid for, or the buyers with an address
    /// (https://docs.stripe.com/api/invoices/search, https://docs.stripe.com/api/customers/list).
    func find(_ name: String) throws(StoreAPIError) -> [FoundPurchase] {
        switch LookupName(name) {
        case .email:
            let path = "/v1/customers?limit=10&email=\(PercentEncoding.encode(name))"
            return try list(path, reading: "customers").compactMap { $0.text("id", limit: 255) }
                .map { FoundPurchase(name: $0) }
        case .invoice: return try invoices(#"number:"\#(name)""#)
        case .receipt: return try invoices(#"receipt_number:"\#(name)""#)
        case nil: return []
        }
    }

    private func invoices(_ query: String) throws(StoreAPIError) -> [FoundPurchase] {
        try list("/v1/invoices/search?limit=10&query=\(PercentEncoding.encode(query))", reading: "invoices")
            .compactMap { invoice in
                // What was bought once has no subscription: its buyer leads to it.
                let subscription = StripeInvoice(object: invoice, catalog: catalog).subscription
                guard let name = subscription ?? invoice.text("customer", limit: 255) else { return nil }
                var found = FoundPurchase(name: name)
                found.charge = invoice.text("id", limit: 255)
                return found
            }
    }

    /// Unlike other calls, it tells nobody how it went: that a key may not read what nobody needs is no outage.
    private func list(_ path: String, reading what: String) throws(StoreAPIError) -> [StoreObject] {
        let headers = [("Authorization", "Bearer \(key)"), ("Stripe-Version", StripeAPI.version)]
        let response = try client.ask("GET", at: address + path, headers: headers)
        switch response.status {
        case 200:
            guard let items = try? StoreObject(response.body).parts("data") else {
                throw .unreadable(reason: "it does not have the documented members")
            }
            return items
        case 401, 403:
            let todo = "give the restricted key that permission"
            throw .unauthorized(reason: "PAYCAST_STRIPE_API_KEY may not read \(what); \(todo)")
        case 409, 429, 500...599: throw .unavailable(reason: "it answered \(response.status)")
        default: throw .refused(status: response.status, code: nil, reason: "it cannot look up \(what)")
        }
    }
}
