public import Domain

/// The channels of Action Cable's adapters: `PREFIX:STREAM`, or `STREAM` alone
/// (https://github.com/rails/rails/blob/main/actioncable/lib/action_cable/subscription_adapter/channel_prefix.rb).
public struct RailsChannels: Sendable {
    /// With its colon; empty without a prefix.
    public let prefix: String

    /// `prefix` is the `channel_prefix` of `config/cable.yml`. If nil, every channel counts as a stream.
    public init(prefix: String?) {
        self.prefix = prefix.map { $0 + ":" } ?? ""
    }

    /// Returns nil for a channel that no page can name.
    public func stream(of channel: [UInt8]) -> StreamName? {
        guard channel.starts(with: prefix.utf8) else { return nil }
        return String(validating: channel.dropFirst(prefix.utf8.count), as: UTF8.self).flatMap { StreamName($0) }
    }
}
