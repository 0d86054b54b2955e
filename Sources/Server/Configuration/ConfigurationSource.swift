internal import Domain
public import Stores
public import Support

/// The source of the settings: the arguments of `paycast serve`, and the environment. Both stay the same while a server
/// runs, but the content of the files that they name may change.
public struct ConfigurationSource: Sendable {
    private let flags: [String: String]
    private let isDevelopment: Bool
    let environment: [String: String]
    private let stores: [any Store.Type]

    public init(
        flags: [String: String],
        isDevelopment: Bool,
        environment: [String: String],
        stores: [any Store.Type] = Stores.all
    ) {
        self.flags = flags
        self.isDevelopment = isDevelopment
        self.environment = environment
        self.stores = stores
    }

    public func read() throws(ConfigurationError) -> Configuration {
        try Configuration(flags: flags, isDevelopment: isDevelopment, environment: environment, stores: stores)
    }

    /// Replaces the content that the files had when `old` was read with their present content.
    public func reread(_ old: Configuration) -> ConfigurationReload {
        var reader = SettingsReader(flags: flags, environment: environment, isDevelopment: isDevelopment)
        let new = Configuration(&reader, stores: stores)
        return ConfigurationReload(from: old, to: new, problems: reader.problems)
    }
}
