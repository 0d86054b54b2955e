public import Domain
internal import Observability

extension Configuration {
    /// The variables without which a store's webhooks answer 503; none of them is missing for a store that is served. A
    /// development server serves all stores: what is not set, its simulated stores set.
    public func missing(for provider: Provider) -> [String] {
        guard !isDevelopment else { return [] }
        let needed: KeyValuePairs<String, Bool> =
            switch provider {
            case .apple: ["PAYCAST_APPLE_BUNDLE_ID": apple.bundles != .none]
            case .google:
                [
                    "PAYCAST_GOOGLE_PACKAGE": !google.packages.isEmpty,
                    "PAYCAST_GOOGLE_CREDENTIALS": google.credentials != nil,
                ]
            case .stripe: ["PAYCAST_STRIPE_SECRETS": !stripe.secrets.isEmpty]
            case .revenuecat: ["PAYCAST_REVENUECAT_AUTHORIZATION": revenueCat.authorization != nil]
            case .purchasekit: ["PAYCAST_PURCHASEKIT_SECRET": purchaseKit.secret != nil]
            }
        return needed.filter { !$0.value }.map(\.key)
    }

    public var servedStores: [Provider] { Provider.allCases.filter { missing(for: $0).isEmpty } }

    /// What is not set and keeps Paycast from its work.
    public enum Gap: Sendable, Equatable, CustomStringConvertible {
        case store
        case streamKey

        /// One sentence that says what to do.
        public var description: String {
            switch self {
            case .store:
                "no store is configured: every webhook is answered 503 not_configured; set the variables of a store"
            case .streamKey:
                "no stream key is set: pages cannot subscribe, and routes that hand out stream names answer 503 "
                    + "not_configured; set PAYCAST_STREAM_KEYS or SECRET_KEY_BASE"
            }
        }
    }

    /// For the log at start, and for `/ready`.
    public var gaps: [Gap] {
        var gaps: [Gap] = servedStores.isEmpty ? [.store] : []
        if !isDevelopment && streamKeys.isEmpty && secretKeyBase == nil { gaps.append(.streamKey) }
        return gaps
    }

    /// The first lines of a server: nobody has to find out by a purchase that never arrives.
    func tell(_ log: Log) {
        let (served, missing) = (servedStores.map(\.rawValue), unservedStores)
        log.info(
            "stores",
            [
                "served": served.isEmpty ? "none" : served.joined(separator: ", "),
                "not_served": missing.isEmpty ? "none" : missing.joined(separator: ", "),
            ]
        )
        for gap in gaps { log.warning("not configured", ["problem": gap]) }
        for warning in warnings { log.warning("configuration", ["warning": warning]) }
    }

    /// For the log at start: `stripe (PAYCAST_STRIPE_SECRETS is missing)`.
    private var unservedStores: [String] {
        Provider.allCases.compactMap { provider in
            let missing = missing(for: provider)
            guard !missing.isEmpty else { return nil }
            let names = missing.joined(separator: " and ")
            return "\(provider.rawValue) (\(names) \(missing.count == 1 ? "is" : "are") missing)"
        }
    }
}
