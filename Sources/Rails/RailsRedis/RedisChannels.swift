/// The Redis channels of an app's streams, and of heartbeats.
struct RedisChannels: Sendable {
    private static let heartbeats = "paycast_heartbeat:"

    let rails: RailsChannels
    /// This server's own channel: other servers may listen to the same Redis.
    let heartbeat: String

    init(_ rails: RailsChannels, token: UInt64) {
        self.rails = rails
        heartbeat = rails.prefix + RedisChannels.heartbeats + String(token, radix: 36)
    }

    /// For `PSUBSCRIBE`, which reads `* ? [ ] \` as glob characters.
    var pattern: String {
        rails.prefix.map { "*?[]\\".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "*"
    }

    /// True for the heartbeats of any server that uses the same prefix.
    func isHeartbeat(_ channel: [UInt8]) -> Bool {
        channel.starts(with: (rails.prefix + RedisChannels.heartbeats).utf8)
    }
}
