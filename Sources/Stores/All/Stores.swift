import Domain
public import Support

/// The stores that Paycast serves: each is a folder beside this one, and the console, the help and the doctor read this list.
/// CONTRIBUTING names what else a store needs.
public enum Stores {
    public static let all: [any Store.Type] = [
        AppleStore.self, GoogleStore.self, StripeStore.self, RevenueCatStore.self, PurchaseKitStore.self,
        GrantStore.self,
    ]

    public static var names: [String] { all.map { $0.provider.rawValue } }

    public static func named(_ name: String) -> (any Store.Type)? { all.first { $0.provider.rawValue == name } }

    /// Those in which somebody buys.
    public static var sellers: [any Store.Type] { all.filter { $0.hasWebhooks } }

    /// The stores whose history can be fetched.
    public static var namesWithHistory: [String] {
        all.filter { $0.historyKey != nil }.map { $0.provider.rawValue }
    }

    /// The stores' settings that hold secrets, store by store.
    public static var secretSettings: [SecretSetting] {
        var settings = SettingsReader(flags: [:], environment: [:], isDevelopment: true)
        for store in all { _ = store.init(&settings) }
        return settings.secretSettings
    }
}
