internal import APIClient
internal import HTTPClient
internal import StoreInterface

/// Whether pages get what a Rails app broadcasts. Once `config.action_cable.url` points here, pages hear nothing else.
/// Only the `redis` adapter, Rails' HTTP requests and AnyCable's gem reach Paycast; broadcasts through `solid_cable`,
/// `async` or `postgresql` are lost silently.
struct CableCheck {
    /// Whether the environment has REDIS_URL (`hasRedis`), or the secret of a Rails app (`isRails`).
    let hasRedis: Bool
    let isRails: Bool
    /// The server's answer to `/metrics`; nil if it cannot be read.
    let metrics: String?

    /// Nil if no page uses Action Cable. Without metrics, nil unless a Rails app without REDIS_URL is known.
    var finding: Finding? {
        guard let metrics else {
            guard isRails, !hasRedis else { return nil }
            return .warn(
                "cable",
                detail: "REDIS_URL is not set: if config.action_cable.url points here, \(CableCheck.todo)"
            )
        }
        guard let commands = value("paycast_cable_commands_total", in: metrics), commands > 0 else { return nil }
        // Without REDIS_URL, the server has no such metric.
        guard value("paycast_redis_connected", in: metrics) == nil else {
            return .ok("cable", detail: "pages use /cable, and the server receives what Rails broadcasts through Redis")
        }
        return .warn("cable", detail: "pages use /cable, and the server has no REDIS_URL: \(CableCheck.todo)")
    }

    private static let todo =
        "what the app broadcasts through solid_cable, async or postgresql never reaches them; use the redis adapter "
        + "and set REDIS_URL, post to /broadcasts, or leave config.action_cable.url alone and open a "
        + "<turbo-stream-source>"

    private func value(_ name: String, in metrics: String) -> Double? {
        let line = metrics.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Double($0.dropFirst(name.count + 1)) }
    }

    /// Works from this machine, or with a key.
    static func metrics(of remote: RemoteServer, client: HTTPClient) -> String? {
        let response = try? client.send("GET", to: remote.url + "/metrics", headers: remote.authorization)
        guard let response, response.status == 200 else { return nil }
        return String(decoding: response.body, as: UTF8.self)
    }
}
