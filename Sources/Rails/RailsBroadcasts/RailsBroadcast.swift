public import Domain
import Encoding
import Pages

/// A message that `ActionCable.server.broadcast` published: ActiveSupport's JSON of any value. Turbo publishes a string
/// of HTML (https://github.com/hotwired/turbo-rails/blob/main/app/channels/turbo/streams/broadcasts.rb).
enum RailsBroadcast {
    /// Why a message is not for pages.
    enum Refusal: String, Error, CaseIterable {
        /// Its channel is not a stream's name.
        case channel
        /// It is over 256 KiB.
        case size
        /// It is not a JSON string, but another channel's or another program's message.
        case json
        /// The string does not consist of `<turbo-stream>` elements.
        case markup
        /// It begins with one, and cannot be sent as it is.
        case broken

        /// Whether pages miss something.
        var isLoss: Bool { self == .size || self == .broken }
    }

    private static let limit = 256 << 10

    static func fragment(on stream: StreamName, payload: [UInt8]) throws(Refusal) -> Fragment {
        // What is no string is no broadcast of Turbo's, however long.
        guard payload.count <= limit else { throw payload.first == UInt8(ascii: "\"") ? .size : .json }
        guard let html = JSONLiteral.string(payload) else { throw .json }
        do throws(BroadcastError) {
            return try BroadcastMarkup(html).fragment(on: stream)
        } catch {
            throw html.utf8.starts(with: "<turbo-stream".utf8) ? .broken : .markup
        }
    }
}

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
