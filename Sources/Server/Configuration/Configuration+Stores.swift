public import Domain
import Pages
import Stores
import Support

extension Configuration {
    /// The environments that every store serves. An operator can choose only Apple's.
    static func environments(_ stores: [any Store]) -> Set<StoreEnvironment> {
        stores.reduce(Set(StoreEnvironment.ofStores)) { $0.intersection($1.environments) }
    }

    /// Those that deliver webhooks, and in which somebody buys.
    var sellers: [any Store] { stores.filter { type(of: $0).hasWebhooks } }

    var storeTypes: [any Store.Type] { sellers.map { type(of: $0) } }

    /// The prices of a development server's simulated stores, if the settings name them.
    var simulatedApps: [Provider: String] {
        stores.reduce(into: [:]) { $0[type(of: $1).provider] = $1.simulatedApp }
    }

    /// The routes of each store.
    var storeRoutes: StoreRoutes {
        StoreRoutes(
            webhooks: Set(storeTypes.map { $0.provider }),
            transactions: Set(storeTypes.filter { $0.transactions != nil }.map { $0.provider }),
            receipts: Set(storeTypes.filter { $0.receipts != nil }.map { $0.provider }),
            offers: Set(storeTypes.filter { $0.offers != nil }.map { $0.provider })
        )
    }

    public var providers: [Provider] { stores.map { type(of: $0).provider } }

    public var servedStores: [Provider] { sellers.filter(\.missingSettings.isEmpty).map { type(of: $0).provider } }

    /// A missing setting without which Paycast cannot do its work.
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
        if !isDevelopment && streamKeys.isEmpty && secretKeyBases.isEmpty { gaps.append(.streamKey) }
        return gaps
    }

    /// Logs at the start what is not configured, so that nobody learns of a missing setting from a purchase that never
    /// arrives.
    func logGaps(to log: Log) {
        let served = servedStores.map(\.rawValue)
        let missing = sellers.filter { !$0.missingSettings.isEmpty }.map { store in
            // As in `stripe (PAYCAST_STRIPE_SECRETS is missing)`.
            let names = store.missingSettings
            let verb = names.count == 1 ? "is" : "are"
            return "\(type(of: store).provider.rawValue) (\(names.joined(separator: " and ")) \(verb) missing)"
        }
        log.info(
            "stores",
            fields: [
                "served": served.isEmpty ? "none" : served.joined(separator: ", "),
                "not_served": missing.isEmpty ? "none" : missing.joined(separator: ", "),
            ]
        )
        for gap in gaps { log.warning("not configured", fields: ["problem": gap]) }
        for warning in warnings { log.warning("configuration", fields: ["warning": warning]) }
    }
}
