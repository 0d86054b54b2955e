internal import Crypto
internal import Domain
internal import Encoding

/// A stream's channel in NOTIFY as Action Cable's `postgresql` adapter names it: the stream with the prefix, or its
/// SHA-1 when that is longer than an identifier may be
/// (https://github.com/rails/rails/blob/main/actioncable/lib/action_cable/subscription_adapter/postgresql.rb).
///
/// Releases of Rails before June 2026 count characters where PostgreSQL counts bytes: a name of 64 bytes or more in 63
/// characters or fewer is cut off by PostgreSQL, and Rails' own listener does not hear it either. Whose it was, nobody can
/// tell any more, so it is nobody's here.
struct PostgresNotifyChannels {
    /// PostgreSQL's NAMEDATALEN, less the byte that ends it.
    private static let limit = 63

    private let prefix: String
    /// This server's own channel: other servers may listen in the same database.
    let heartbeat: String

    init(_ rails: RailsChannels, token: UInt64) {
        prefix = rails.prefix
        heartbeat = "paycast_heartbeat:" + String(token, radix: 36)
    }

    func channel(of stream: StreamName) -> String {
        let name = prefix + stream.text
        return name.utf8.count > PostgresNotifyChannels.limit ? Hex.encode(SHA1.hash(Array(name.utf8))) : name
    }
}
