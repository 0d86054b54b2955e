import API
import Domain
import Gateway
import Pages
import Rails
import Support
import Synchronization

/// Turns committed entries into messages for the loops: each fragment is rendered once, on the thread that committed
/// it, or that follows what all nodes commit.
final class Publisher: Sendable {
    private let templates: TemplateLoader
    private let telemetry: WebhookTelemetry
    private let follows: FollowedStreams?
    private let log: Log
    /// The loops, once there are any. Entries committed before must reach them, because the first pages may have been told
    /// that they missed nothing.
    private let outlet = Mutex<(gateway: Gateway?, waiting: [Publication])>((nil, []))

    init(templates: TemplateLoader, telemetry: WebhookTelemetry, follows: FollowedStreams?, log: Log) {
        self.templates = templates
        self.telemetry = telemetry
        self.follows = follows
        self.log = log
    }

    /// Nil while there are no loops.
    var gateway: Gateway? { outlet.withLock { $0.gateway } }

    /// Waits while the loops are behind, a second at most. Not for their threads, nor for the one that writes the ledger.
    @Sendable func waitForRoom() { gateway?.waitForRoom() }

    /// Publishes to the loops from now on, starting with the entries committed before the loops existed.
    func connect(_ gateway: Gateway) {
        outlet.withLock { outlet in
            if !outlet.waiting.isEmpty { gateway.publish(outlet.waiting) }
            outlet = (gateway, [])
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
        telemetry.published(entries.compactMap(\.notice.eventKey))
    }

    private func publication(_ entry: Entry, renderer: TemplateRenderer, committedAt: MonotonicTime) -> Publication {
        guard let event = entry.notice.eventKey, let receivedAt = telemetry.receivedAt(event) else {
            return Publication(entry, renderer: renderer)
        }
        let publication = Publication(entry, renderer: renderer) { [telemetry] pages, first, last in
            telemetry.written(event, receivedAt: receivedAt, pages: pages, first: first, last: last)
        }
        telemetry.timings.published(event, committedAt: committedAt, renderedAt: monotonicNanoseconds())
        return publication
    }

    /// Asks the loops which pages follow a stream. Without loops, none does.
    @Sendable func openPages(on stream: StreamName, completion: @escaping @Sendable ([OpenPage]) -> Void) {
        guard let gateway else { return completion([]) }
        gateway.openPages(on: stream, completion: completion)
    }

    /// Without loops, nobody has a page open.
    @Sendable func endPages(on stream: StreamName) { gateway?.endPages(on: stream) }

    /// Handles another node's message.
    func heard(_ body: [UInt8]) {
        switch NodeMessageContent(body) {
        case .broadcast(let message): broadcast([message])
        case .locale(let stream): gateway?.forgetRecentMessages(on: stream)
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
            if outlet.gateway == nil { outlet.waiting += publications }
            return outlet.gateway
        }
        gateway?.publish(publications)
    }
}
