import Domain
import HTTP
import Pages
import Support

/// Heartbeats and pings: each page gets one every 15 s, each cable client every 3 s. A client whose socket accepts no
/// more has the deadline of slow readers instead.
struct Heartbeats {
    /// The interval between two heartbeats of a page, each page at its own phase.
    static let seconds = 15
    static let ticks = seconds * LoopSettings.ticksPerSecond
    /// Action Cable's clients consider a connection dead after 6 s without a message.
    static let cableTicks = 3 * LoopSettings.ticksPerSecond

    let writer: PageWriter
    private var closer: ConnectionCloser { writer.closer }
    private var connections: ConnectionTable { closer.connections }
    private var subscriptions: Subscriptions { closer.subscriptions }

    func tick() {
        var ping: [UInt8] = []
        for id in subscriptions.heartbeats.tick() {
            guard let connection = connections[id] else { continue }
            switch connection.phase {
            case .page(let page):
                subscriptions.heartbeats.add(id, after: Heartbeats.ticks)
                if page.opening == nil, !connection.isBlocked { beat(page, on: connection) }
            case .cable:
                subscriptions.heartbeats.add(id, after: Heartbeats.cableTicks)
                if ping.isEmpty { ping = cablePing }
                if !connection.isBlocked { send(ping, to: connection) }
            default: break
            }
        }
    }

    /// Sends a comment or a ping. Ends a page that has answered no ping for a turn of the wheel.
    private func beat(_ page: Page, on connection: Connection) {
        if let ping = page.unansweredPing {
            if !closer.slowConsumers.isReading(page, since: ping, on: connection) { closer.end(connection) }
            return
        }
        guard page.transport == .webSocket else { return send(EventStream.heartbeat, to: connection) }
        page.unansweredPing = PeerReadProgress(start: connection.link.confirmedBytes)
        send(Heartbeats.ping, to: connection)
    }

    /// The ping has a payload: some clients and proxies do not answer an empty one.
    private static let ping = Frame.encode(.ping, payload: Array("paycast".utf8))

    /// TCP finds dead clients: a ping that nobody acknowledges ends the connection.
    private var cablePing: [UInt8] {
        let message = CableMessage.ping(seconds: writer.loop.settings.clock.now().milliseconds / 1000)
        return Frame.encode(.text, payload: message)
    }

    private func send(_ heartbeat: [UInt8], to connection: Connection) {
        if !writer.write(heartbeat, to: connection) { closer.end(connection) }
    }
}
