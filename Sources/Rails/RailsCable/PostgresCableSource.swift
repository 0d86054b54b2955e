import PostgresLedger
import Support

/// An app's broadcasts through a PostgreSQL database, by whichever adapter. Unless the setting says which, Solid
/// Cable's table decides: the app has it, or the app notifies.
final class PostgresCableSource: BroadcastSource {
    private enum Adapter {
        case solidCable(SolidCableSource)
        case notifications(PostgresNotifySource)
    }

    private let makeTable: (BroadcastGap) -> SolidCableSource
    private let makeNotifications: (BroadcastGap) -> PostgresNotifySource
    private let isGuessed: Bool
    private var adapter: Adapter

    init(
        _ url: PostgresURL,
        settings: RailsCableSettings,
        timing: BroadcastTiming,
        counts: RailsCableCounts,
        follows: FollowedStreams
    ) {
        isGuessed = settings.adapter == nil
        makeTable = { [isGuessed] gap in
            SolidCableSource(
                PostgresSolidCableTable(url),
                of: settings.url,
                timing: timing,
                counts: counts,
                after: gap,
                isOptional: isGuessed
            )
        }
        makeNotifications = { gap in
            PostgresNotifySource(
                url,
                settings: settings,
                timing: timing,
                counts: counts,
                follows: follows,
                after: gap
            )
        }
        adapter =
            settings.adapter == .postgresql
            ? .notifications(makeNotifications(.beforeStart)) : .solidCable(makeTable(.beforeStart))
    }

    private var source: any BroadcastSource {
        switch adapter {
        case .solidCable(let table): table
        case .notifications(let notifications): notifications
        }
    }

    var problem: String? { source.problem }

    /// Another database of the app would look the same. What was heard proves that it is the right one.
    var warning: String? {
        guard isGuessed, case .notifications(let notifications) = adapter, !notifications.hasHeard else { return nil }
        return PostgresCableSource.guess
    }

    var next: Duration { source.next }

    func startOver(_ receiver: BroadcastReceiver) { source.startOver(receiver) }

    func receive(_ receiver: BroadcastReceiver) {
        source.receive(receiver)
        guard isGuessed else { return }
        switch adapter {
        case .solidCable(let table):
            guard table.isMissing else { return }
            adapter = .notifications(makeNotifications(table.hasBegun ? .outage : .beforeStart))
        case .notifications(let notifications):
            guard notifications.isTableThere else { return }
            adapter = .solidCable(makeTable(.outage))
        }
        source.receive(receiver)
    }

    func wait(for bell: EventDescriptor, timeout: Duration, receiver: BroadcastReceiver) {
        source.wait(for: bell, timeout: timeout, receiver: receiver)
    }

    private static let guess = """
        the database has no table solid_cable_messages, so the app is taken to broadcast through the adapter postgresql, and \
        nothing was heard yet; set PAYCAST_RAILS_CABLE_ADAPTER if that is right, or name the database of Solid Cable
        """
}
