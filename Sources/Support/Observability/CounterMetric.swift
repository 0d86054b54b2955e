/// A count that only grows, as `/metrics` shows it. These are all that there are.
public struct CounterMetric: Metric {
    public let name: String
    public let help: String
    public let labels: [String]

    init(_ name: String, help: String, labels: [String] = []) {
        self.name = name
        self.help = help
        self.labels = labels
    }
}

/// From a webhook to the commit.
extension CounterMetric {
    public static let events = CounterMetric(
        "paycast_events_total",
        help: "Events by provider and outcome.",
        labels: ["provider", "outcome"]
    )
    public static let webhooksRefused = CounterMetric(
        "paycast_webhooks_refused_total",
        help: "Webhooks answered 400, 401 or 503 because of what they are, by provider and reason.",
        labels: ["provider", "reason"]
    )
    public static let unlistedAccounts = CounterMetric(
        "paycast_unlisted_accounts_total",
        help: "Events of accounts that the store's settings do not list, answered as ignored."
    )
    public static let postsRefused = CounterMetric(
        "paycast_posts_refused_total",
        help: "Purchases that apps posted and that were refused, by provider and reason.",
        labels: ["provider", "reason"]
    )
}

/// The ledger.
extension CounterMetric {
    public static let ledgerCommands = CounterMetric(
        "paycast_ledger_commands_total",
        help: "Commands that were committed."
    )
    public static let commitFailures = CounterMetric(
        "paycast_ledger_commit_failures_total",
        help: "Transactions that were rolled back."
    )
    public static let ledgerTroubles = CounterMetric(
        "paycast_ledger_troubles_total",
        help: "How often something was found wrong with the ledger, by what it was.",
        labels: ["part"]
    )
}

/// Stores and jobs.
extension CounterMetric {
    public static let callsRefused = CounterMetric(
        "paycast_calls_refused_total",
        help: "What was answered 503 because too much waited.",
        labels: ["queue"]
    )
    public static let recovered = CounterMetric(
        "paycast_recovered_total",
        help: "Notifications that a store's history brought first."
    )
    public static let recoveryRefused = CounterMetric(
        "paycast_recovery_refused_total",
        help: "Entries of a store's history that this server's settings refuse, each time that they are read."
    )
    public static let jobsAbandoned = CounterMetric(
        "paycast_jobs_abandoned_total",
        help: "What stores and staging servers could not be told, since this server's start."
    )
    public static let hooksDelivered = CounterMetric(
        "paycast_hooks_delivered_total",
        help: "Messages that the app's backend has accepted."
    )
    public static let hookFailures = CounterMetric(
        "paycast_hook_failures_total",
        help: "Attempts to send the app's backend a message that have failed."
    )
    public static let hooksAbandoned = CounterMetric(
        "paycast_hooks_abandoned_total",
        help: "Messages that were given up after their last attempt."
    )
}

/// Pages.
extension CounterMetric {
    public static let published = CounterMetric(
        "paycast_published_total",
        help: "Messages published, committed or transient."
    )
    public static let droppedMessages = CounterMetric(
        "paycast_dropped_messages_total",
        help: "Messages of nodes, this one too, that its pages were not sent, because too much waited."
    )
    public static let unshared = CounterMetric(
        "paycast_unshared_total",
        help: "Transient messages that other nodes were not sent, because too much waited."
    )
    public static let deliveries = CounterMetric("paycast_deliveries_total", help: "Frames written to pages.")
    public static let unheard = CounterMetric(
        "paycast_unheard_total",
        help: "Commits with something to show while no page followed."
    )
    public static let replayed = CounterMetric(
        "paycast_replayed_total",
        help: "Pages that were sent what they had missed."
    )
    public static let replayedMessages = CounterMetric(
        "paycast_replayed_messages_total",
        help: "Messages sent to these pages."
    )
    public static let collapsed = CounterMetric(
        "paycast_collapsed_total",
        help: "Fragments that a newer one replaced in a slow page's queue."
    )
    public static let slowClosed = CounterMetric(
        "paycast_slow_closed_total",
        help: "Pages closed because they stopped reading."
    )
    public static let healed = CounterMetric("paycast_healed_total", help: "Pages told to load themselves again.")
    public static let expired = CounterMetric(
        "paycast_expired_total",
        help: "Pages told to load again because their name had ended."
    )
    public static let streamNamesRefused = CounterMetric(
        "paycast_stream_names_refused_total",
        help: "Signed stream names that no key of this server vouches for, by reason.",
        labels: ["reason"]
    )
    public static let cableCommands = CounterMetric(
        "paycast_cable_commands_total",
        help: "Commands of Action Cable clients."
    )
    public static let cableRejected = CounterMetric(
        "paycast_cable_rejected_total",
        help: "Subscriptions whose name no key vouches for."
    )
    public static let cableRefusedFrames = CounterMetric(
        "paycast_cable_refused_frames_total",
        help: "Action Cable clients ended for a frame that was too long, no text, or against RFC 6455."
    )
    public static let cableAbusive = CounterMetric(
        "paycast_cable_abusive_total",
        help: "Clients ended for too many commands."
    )
}

/// Connections.
extension CounterMetric {
    public static let connectionsRefused = CounterMetric(
        "paycast_connections_refused_total",
        help: "Connections beyond a limit, by how they ended.",
        labels: ["answer"]
    )
    public static let connectionsEvicted = CounterMetric(
        "paycast_connections_evicted_total",
        help: "Connections without a whole request that were closed for others when all places were taken."
    )
    public static let overdueClosed = CounterMetric(
        "paycast_overdue_closed_total",
        help: "Connections closed at a deadline, without slow pages.",
        labels: ["deadline"]
    )
    public static let responses = CounterMetric(
        "paycast_http_responses_total",
        help: "HTTP answers, by class.",
        labels: ["class"]
    )
    public static let http2Abusive = CounterMetric(
        "paycast_http2_abusive_total",
        help: "Clients of HTTP/2 ended for what they sent."
    )
}

/// A Rails app's cable database, beside what `BroadcastMetrics` has.
extension CounterMetric {
    public static let cableGaps = CounterMetric(
        "paycast_rails_cable_gaps_total",
        help: "Times when broadcasts may have been lost."
    )
    public static let cableLate = CounterMetric(
        "paycast_rails_cable_late_total",
        help: "Broadcasts that became visible after newer ones."
    )
    public static let cableStreamsGivenUp = CounterMetric(
        "paycast_rails_cable_streams_given_up_total",
        help: "Streams that made room for others."
    )
}

/// Under AnyCable's names, where the meaning is the same, so that its dashboards keep working
/// (https://docs.anycable.io/anycable-go/instrumentation).
extension CounterMetric {
    public static let anyCableBroadcasts = CounterMetric(
        "anycable_go_broadcast_msg_total",
        help: "The total number of messages received for broadcast"
    )
    public static let anyCableSlowClients = CounterMetric(
        "anycable_go_disconnected_slow_clients_total",
        help: "The number of slow clients disconnected"
    )
}
