internal import Domain

/// What a second look at the settings changes in a running server: keys, secrets and the catalogue, each by itself. One
/// that is wrong now keeps its old value and holds up no other.
public struct ConfigurationReload: Sendable {
    public private(set) var configuration: Configuration
    /// Names of the settings that have another value now.
    public private(set) var changed: [String] = []
    public let problems: [ConfigurationError.Problem]

    init(from old: Configuration, to new: Configuration, problems: [ConfigurationError.Problem]) {
        configuration = old
        self.problems = problems
        take("PAYCAST_API_KEY", from: new, \.apiKeys)
        take("SECRET_KEY_BASE", from: new, \.secretKeyBase)
        take("PAYCAST_STREAM_KEYS", from: new, \.streamKeys)
        take("PAYCAST_APPLE_API_KEY", from: new, \.apple.serverKey)
        take("PAYCAST_GOOGLE_CREDENTIALS", from: new, \.google.credentials)
        take("PAYCAST_STRIPE_SECRETS", from: new, \.stripe.secrets)
        take("PAYCAST_STRIPE_API_KEY", from: new, \.stripe.apiKey)
        take("PAYCAST_REVENUECAT_AUTHORIZATION", from: new, \.revenueCat.authorization)
        take("PAYCAST_PURCHASEKIT_SECRET", from: new, \.purchaseKit.secret)
        take("PAYCAST_CATALOG", from: new, \.accessPolicy.catalog)
    }

    private mutating func take<Value: Equatable>(
        _ name: String,
        from new: Configuration,
        _ setting: WritableKeyPath<Configuration, Value>
    ) {
        let isWrong = problems.contains { $0.name == name || $0.name == fileVariable(of: name) }
        guard !isWrong, new[keyPath: setting] != configuration[keyPath: setting] else { return }
        configuration[keyPath: setting] = new[keyPath: setting]
        changed.append(name)
    }
}
