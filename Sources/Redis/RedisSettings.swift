/// Which broadcasts to listen to.
public struct RedisSettings: Sendable, Equatable {
    /// `REDIS_URL`.
    public var url: RedisURL
    /// `PAYCAST_REDIS_PREFIX`: the `channel_prefix` of the Rails app's `config/cable.yml`. If nil, every channel counts
    /// as a stream.
    public var prefix: String?

    public init(url: RedisURL, prefix: String? = nil) {
        self.url = url
        self.prefix = prefix
    }
}
