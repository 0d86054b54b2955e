internal import Domain
internal import Fragments
internal import Gateway
internal import Runtime
internal import Synchronization

/// From committed entries to what the loops send: each fragment is rendered once, on the thread that committed it.
final class Publisher: Sendable {
    private let templates: TemplateStore
    private let telemetry: Telemetry
    private let log: Log
    private let gateway = Mutex<Gateway?>(nil)

    init(templates: TemplateStore, telemetry: Telemetry, log: Log) {
        self.templates = templates
        self.telemetry = telemetry
        self.log = log
    }

    /// From now on there are pages. What was committed before is in the ledger, and every page reads there first.
    func connect(_ gateway: Gateway) {
        self.gateway.withLock { $0 = gateway }
    }

    @Sendable func committed(_ entries: [Entry]) {
        for entry in entries {
            log.debug(
                "committed",
                ["position": entry.position, "kind": entry.notice.kind.rawValue, "fragments": entry.fragments.count]
            )
        }
        let renderer = templates.renderer
        publish(
            entries.map { Publication($0, renderer, receivedAt: telemetry.receivedAt($0.notice.event)) }
        )
    }

    @Sendable func publish(_ publications: [Publication]) {
        gateway.withLock { $0 }?.publish(publications)
    }
}
