/// Where settings come from: the words after `paycast serve`, and the environment. Both stay as they are while a server
/// runs; what the files hold that they name may change.
public struct ConfigurationSource: Sendable {
    private let flags: [String: String]
    private let isDevelopment: Bool
    let environment: [String: String]

    public init(flags: [String: String], isDevelopment: Bool, environment: [String: String]) {
        self.flags = flags
        self.isDevelopment = isDevelopment
        self.environment = environment
    }

    public func read() throws(ConfigurationError) -> Configuration {
        try Configuration(flags: flags, isDevelopment: isDevelopment, environment: environment)
    }

    /// What the files hold now, in place of what they held when `old` was read.
    public func reread(_ old: Configuration) -> ConfigurationReload {
        var reader = ConfigurationReader(flags: flags, environment: environment, isDevelopment: isDevelopment)
        let new = Configuration(&reader)
        return ConfigurationReload(from: old, to: new, problems: reader.problems)
    }
}
