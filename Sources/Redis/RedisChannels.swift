internal import Domain

/// The Redis channels of streams and heartbeats. Streams have the names of Action Cable's adapter, `PREFIX:STREAM` or
/// `STREAM` alone
/// (https://github.com/rails/rails/blob/main/actioncable/lib/action_cable/subscription_adapter/channel_prefix.rb).
struct RedisChannels: Sendable {
    private static let heartbeats = "paycast_heartbeat:"

    private let prefix: String
    /// This server's own channel: other servers may listen to the same Redis.
    let heartbeat: String

    init(prefix: String?, token: UInt64) {
        self.prefix = prefix.map { $0 + ":" } ?? ""
        heartbeat = self.prefix + RedisChannels.heartbeats + String(token, radix: 36)
    }

    /// For `PSUBSCRIBE`, which reads `* ? [ ] \` as glob characters.
    var pattern: String {
        prefix.map { "*?[]\\".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "*"
    }

    /// True for the heartbeats of any server that uses the same prefix.
    func isHeartbeat(_ channel: [UInt8]) -> Bool {
        channel.starts(with: (prefix + RedisChannels.heartbeats).utf8)
    }

    /// Returns nil for a channel that no page can name.
    func stream(of channel: [UInt8]) -> StreamName? {
        guard channel.starts(with: prefix.utf8) else { return nil }
        return String(validating: channel.dropFirst(prefix.utf8.count), as: UTF8.self).flatMap { StreamName($0) }
    }
}
