/// A count that only grows, as `/metrics` shows it. These are all that there are.
public struct CounterMetric: Metric {
    public let name: String
    public let help: String
    public let labels: [String]

    init(_ name: String, _ help: String, labels: [String] = []) {
        self.name = name
        self.help = help
        self.labels = labels
    }
}

/// From a webhook to the commit.
extension CounterMetric {
    public static let events = Self(
        "paycast_events_total",
        "Events by provider and outcome.",
        labels: ["provider", "outcome"]
    )
    public static let webhooksRefused = Self(
        "paycast_webhooks_refused_total",
        "Webhooks answered 400, 401 or 503 because of what they are, by provider and reason.",
        labels: ["provider", "reason"]
    )
    public static let unlistedAccounts = Self(
        "paycast_unlisted_accounts_total",
        "Events of accounts that the store's settings do not list, answered as ignored."
    )
    public static let postsRefused = Self(
        "paycast_posts_refused_total",
        "Purchases that apps posted and that were refused, by provider and reason.",
        labels: ["provider", "reason"]
    )
}

/// The ledger.
extension CounterMetric {
    public static let ledgerCommands = Self("paycast_ledger_commands_total", "Commands that were committed.")
    public static let commitFailures = Self(
        "paycast_ledger_commit_failures_total",
        "Transactions that were rolled back."
    )
    public static let ledgerTroubles = Self(
        "paycast_ledger_troubles_total",
        "How often something was found wrong with the ledger, by what it was.",
        labels: ["part"]
    )
}

/// Stores and jobs.
extension CounterMetric {
    public static let callsRefused = Self(
        "paycast_calls_refused_total",
        "What was answered 503 because too much waited.",
        labels: ["queue"]
    )
    public static let recovered = Self("paycast_recovered_total", "Notifications that a store's history brought first.")
    public static let recoveryRefused = Self(
        "paycast_recovery_refused_total",
        "Entries of a store's history that this server's settings refuse, each time that they are read."
    )
    public static let jobsAbandoned = Self(
        "paycast_jobs_abandoned_total",
        "What stores and staging servers could not be told, since this server's start."
    )
    public static let hooksDelivered = Self(
        "paycast_hooks_delivered_total",
        "Messages that the app's backend has accepted."
    )
    public static let hookFailures = Self(
        "paycast_hook_failures_total",
        "Attempts to send the app's backend a message that have failed."
    )
    public static let hooksAbandoned = Self(
        "paycast_hooks_abandoned_total",
        "Messages that were given up after their last attempt."
    )
}

/// Pages.
extension CounterMetric {
    public static let published = Self("paycast_published_total", "Messages published, committed or transient.")
    public static let droppedMessages = Self(
        "paycast_dropped_messages_total",
        "Messages of nodes, this one too, that its pages were not sent, because too much waited."
    )
    public static let unshared = Self(
        "paycast_unshared_total",
        "Transient messages that other nodes were not sent, because too much waited."
    )
    public static let deliveries = Self("paycast_deliveries_total", "Frames written to pages.")
    public static let unheard = Self("paycast_unheard_total", "Commits with something to show while no page followed.")
    public static let replayed = Self("paycast_replayed_total", "Pages that were sent what they had missed.")
    public static let replayedMessages = Self("paycast_replayed_messages_total", "Messages sent to these pages.")
    public static let collapsed = Self(
        "paycast_collapsed_total",
        "Fragments that a newer one replaced in a slow page's queue."
    )
    public static let slowClosed = Self("paycast_slow_closed_total", "Pages closed because they stopped reading.")
    public static let healed = Self("paycast_healed_total", "Pages told to load themselves again.")
    public static let expired = Self("paycast_expired_total", "Pages told to load again because their name had ended.")
    public static let streamNamesRefused = Self(
        "paycast_stream_names_refused_total",
        "Signed stream names that no key of this server vouches for, by reason.",
        labels: ["reason"]
    )
    public static let cableCommands = Self("paycast_cable_commands_total", "Commands of Action Cable clients.")
    public static let cableRejected = Self(
        "paycast_cable_rejected_total",
        "Subscriptions whose name no key vouches for."
    )
    public static let cableRefusedFrames = Self(
        "paycast_cable_refused_frames_total",
        "Action Cable clients ended for a frame that was too long, no text, or against RFC 6455."
    )
    public static let cableAbusive = Self("paycast_cable_abusive_total", "Clients ended for too many commands.")
}

/// Connections.
extension CounterMetric {
    public static let connectionsRefused = Self(
        "paycast_connections_refused_total",
        "Connections beyond a limit, by how they ended.",
        labels: ["answer"]
    )
    public static let connectionsEvicted = Self(
        "paycast_connections_evicted_total",
        "Connections without a whole request that were closed for others when all places were taken."
    )
    public static let overdueClosed = Self(
        "paycast_overdue_closed_total",
        "Connections closed at a deadline, without slow pages.",
        labels: ["deadline"]
    )
    public static let responses = Self("paycast_http_responses_total", "HTTP answers, by class.", labels: ["class"])
    public static let http2Abusive = Self("paycast_http2_abusive_total", "Clients of HTTP/2 ended for what they sent.")
}

/// A Rails app's cable database, beside what `BroadcastMetrics` has.
extension CounterMetric {
    public static let cableGaps = Self("paycast_rails_cable_gaps_total", "Times when broadcasts may have been lost.")
    public static let cableLate = Self(
        "paycast_rails_cable_late_total",
        "Broadcasts that became visible after newer ones."
    )
    public static let cableStreamsGivenUp = Self(
        "paycast_rails_cable_streams_given_up_total",
        "Streams that made room for others."
    )
}

/// Under AnyCable's names, where the meaning is the same, so that its dashboards keep working
/// (https://docs.anycable.io/anycable-go/instrumentation).
extension CounterMetric {
    public static let anyCableBroadcasts = Self(
        "anycable_go_broadcast_msg_total",
        "The total number of messages received for broadcast"
    )
    public static let anyCableSlowClients = Self(
        "anycable_go_disconnected_slow_clients_total",
        "The number of slow clients disconnected"
    )
}
