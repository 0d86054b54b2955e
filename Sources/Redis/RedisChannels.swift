internal import Domain

/// How streams and heartbeats are named on Redis: as Action Cable's adapter does, `PREFIX:STREAM` or `STREAM` alone
/// (https://github.com/rails/rails/blob/main/actioncable/lib/action_cable/subscription_adapter/channel_prefix.rb).
struct RedisChannels: Sendable {
    private static let heartbeats = "paycast_heartbeat:"

    private let prefix: String
    /// Ours alone: other servers may listen to the same Redis.
    let heartbeat: String

    init(prefix: String?, token: UInt64) {
        self.prefix = prefix.map { $0 + ":" } ?? ""
        heartbeat = self.prefix + RedisChannels.heartbeats + String(token, radix: 36)
    }

    /// For `PSUBSCRIBE`, which reads `* ? [ ] \` as a glob's.
    var pattern: String {
        prefix.map { "*?[]\\".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "*"
    }

    /// Of any server that listens to the same channels.
    func isHeartbeat(_ channel: [UInt8]) -> Bool {
        channel.starts(with: (prefix + RedisChannels.heartbeats).utf8)
    }

    /// Nil for what no page can name.
    func stream(of channel: [UInt8]) -> StreamName? {
        guard channel.starts(with: prefix.utf8) else { return nil }
        return String(validating: channel.dropFirst(prefix.utf8.count), as: UTF8.self).flatMap { StreamName($0) }
    }
}
