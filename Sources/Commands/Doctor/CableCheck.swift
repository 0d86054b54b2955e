import HTTPClient
import Stores
import Support

/// Whether pages get a Rails app's broadcasts. Once `config.action_cable.url` points here, pages receive nothing else.
/// Only the `redis`, `solid_cable` and `postgresql` adapters, Rails' HTTP requests and AnyCable's gem reach Paycast;
/// broadcasts through `async` are lost silently.
struct CableCheck {
    /// Whether the environment has REDIS_URL or PAYCAST_RAILS_CABLE_URL (`hasSource`), or the secret of a Rails app
    /// (`isRails`).
    let hasSource: Bool
    let isRails: Bool
    /// The server's answer to `/metrics`; nil if it cannot be read.
    let metrics: String?

    /// Nil if no page uses Action Cable. Without metrics, nil unless a Rails app without a source is known.
    var finding: Finding? {
        guard let metrics else {
            guard isRails, !hasSource else { return nil }
            return .warn(
                "cable",
                detail: "neither PAYCAST_RAILS_CABLE_URL nor REDIS_URL is set: if config.action_cable.url points here, "
                    + CableCheck.todo
            )
        }
        guard let commands = value(CounterMetric.cableCommands, in: metrics), commands > 0 else { return nil }
        // Without the setting, the server has no such metric.
        let sources = [(BroadcastMetrics.redis, "Redis"), (BroadcastMetrics.railsCable, "its cable database")]
            .filter { source, _ in value(source.connected, in: metrics) != nil }
        guard !sources.isEmpty else {
            return .warn(
                "cable",
                detail: "pages use /cable, and the server has neither PAYCAST_RAILS_CABLE_URL nor REDIS_URL: "
                    + CableCheck.todo
            )
        }
        let names = sources.map(\.1).joined(separator: " and ")
        return .ok("cable", detail: "pages use /cable, and the server receives what Rails broadcasts through \(names)")
    }

    private static let todo =
        "what the app broadcasts never reaches them; name the database of solid_cable or postgresql in "
        + "PAYCAST_RAILS_CABLE_URL, or that of the redis adapter in REDIS_URL; with async, post to /broadcasts, or leave "
        + "config.action_cable.url alone and open a <turbo-stream-source>"

    private func value(_ metric: some Metric, in metrics: String) -> Double? {
        let start = metric.name + " "
        let line = metrics.split(separator: "\n").first { $0.hasPrefix(start) }
        return line.flatMap { Double($0.dropFirst(start.count)) }
    }

    /// Works on the server's machine, or elsewhere with an API key.
    static func metrics(of remote: RemoteServer, client: HTTPClient) -> String? {
        let response = try? client.send("GET", to: remote.url + "/metrics", headers: remote.authorization)
        guard let response, response.status == 200 else { return nil }
        return String(decoding: response.body, as: UTF8.self)
    }
}
