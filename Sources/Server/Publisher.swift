import API
import Domain
import Gateway
import Pages
import Rails
import Support
import Synchronization

/// Turns committed entries into messages for the loops: each fragment is rendered once, on the thread that committed
/// it.
final class Publisher: Sendable {
    private let templates: TemplateLoader
    private let telemetry: WebhookTelemetry
    private let follows: FollowedStreams?
    private let log: Log
    private let outlet = Mutex(Outlet.waiting([]))

    private enum Outlet {
        /// There are no loops yet. Entries committed meanwhile must reach them, because the first pages may have been
        /// told that they missed nothing.
        case waiting([Publication])
        case open(Gateway)
    }

    init(templates: TemplateLoader, telemetry: WebhookTelemetry, follows: FollowedStreams?, log: Log) {
        self.templates = templates
        self.telemetry = telemetry
        self.follows = follows
        self.log = log
    }

    /// Nil while there are no loops.
    private var gateway: Gateway? { outlet.withLock { if case .open(let gateway) = $0 { gateway } else { nil } } }

    /// Publishes to the loops from now on, starting with the entries committed before the loops existed.
    func connect(_ gateway: Gateway) {
        outlet.withLock { outlet in
            if case .waiting(let publications) = outlet, !publications.isEmpty { gateway.publish(publications) }
            outlet = .open(gateway)
        }
    }

    @Sendable func committed(_ entries: [Entry]) {
        let now = monotonicNanoseconds()
        for entry in entries {
            log.debug(
                "committed",
                fields: [
                    "position": entry.position, "kind": entry.notice.kind.rawValue, "fragments": entry.fragments.count,
                ]
            )
        }
        let renderer = templates.renderer
        publish(entries.map { publication($0, renderer: renderer, committedAt: now) })
    }

    private func publication(_ entry: Entry, renderer: TemplateRenderer, committedAt: UInt64) -> Publication {
        guard let event = entry.notice.event, let receivedAt = telemetry.receivedAt(event) else {
            return Publication(entry, renderer: renderer)
        }
        let publication = Publication(entry, renderer: renderer) { [telemetry] pages, first, last in
            telemetry.written(event, receivedAt: receivedAt, pages: pages, first: first, last: last)
        }
        telemetry.timings.published(event, committedAt: committedAt, renderedAt: monotonicNanoseconds())
        return publication
    }

    /// From now on, messages that pages missed on this stream are rendered again, because its user's language has
    /// changed. Without loops, no message has been kept yet.
    func forget(_ stream: StreamName) { gateway?.forgetRecentMessages(on: stream) }

    /// From now on, messages that pages missed are rendered again, because the templates have changed.
    func forgetAll() { gateway?.forgetRecentMessages() }

    /// Users were erased on another node. Without loops, nobody remembers them.
    func reloadPages(on workers: WorkerPool, where isErased: @escaping @Sendable (StreamName) -> Bool) {
        gateway?.reloadPages(on: workers, where: isErased)
    }

    /// Asks the loops which pages follow a stream. Without loops, none does.
    @Sendable func openPages(on stream: StreamName, completion: @escaping @Sendable ([OpenPage]) -> Void) {
        guard let gateway else { return completion([]) }
        gateway.openPages(on: stream, completion: completion)
    }

    /// Handles another node's message.
    func heard(_ body: [UInt8]) {
        switch NodeMessageContent(body) {
        case .broadcast(let message): broadcast([message])
        case .language(let stream): forget(stream)
        case .followed(let streams): follows?.followElsewhere(streams)
        case .whoFollows: follows?.sayAgain()
        case nil: log.debug("message of another node not understood", fields: ["bytes": body.count])
        }
    }

    /// Messages that no entry of the ledger holds.
    @Sendable func broadcast(_ messages: [Message]) {
        publish([Publication(transient: messages)])
    }

    private func publish(_ publications: [Publication]) {
        let gateway: Gateway? = outlet.withLock { outlet in
            switch outlet {
            case .open(let gateway): return gateway
            case .waiting(let earlier):
                outlet = .waiting(earlier + publications)
                return nil
            }
        }
        gateway?.publish(publications)
    }
}
