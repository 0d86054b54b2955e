internal import Domain
public import Runtime

/// All socket loops of a server, behind one door.
public final class Gateway: Sendable {
    private let ports: [LoopPort]
    /// Accepts in the loops' place, with TLS.
    private let door: (port: FrontDoorPort, thread: WorkerThread)?
    private let threads: [WorkerThread]
    private let metrics: GatewayMetrics
    /// The port that is bound.
    public let port: Int

    /// Binds and starts serving. `position` is the ledger's newest entry: what is published is newer.
    ///
    /// With an `identity` every connection speaks TLS.
    public init(
        address: String,
        port: Int,
        loops: Int,
        epoch: String,
        position: Int64,
        clock: Clock = Clock(),
        identity: ServerIdentity? = nil,
        handler: any RequestHandler,
        metrics: Metrics,
        limits: Limits = Limits(),
        proxies: TrustedProxies = .none
    ) throws(GatewayError) {
        let doors = identity == nil ? loops : 1
        guard let listeners = ListeningSocket.group(address: address, port: port, count: doors) else {
            throw .cannotListen(address: address, port: port)
        }
        let settings = LoopSettings(epoch: epoch, clock: clock, limits: limits, proxies: proxies, identity: identity)
        let census = Census(limits: limits, proxies: proxies)
        let sessions = CableSessions()
        let counters = GatewayMetrics(metrics)
        let ports = (0..<max(1, loops)).map { _ in LoopPort() }
        var threads: [WorkerThread] = []
        for (number, port) in ports.enumerated() {
            let isStarted = Promise<Bool>()
            threads.append(
                // With the port, so that several servers can be told apart.
                WorkerThread(name: "loop-\(number):\(listeners[0].port)") {
                    SocketLoop(
                        settings: settings,
                        listener: identity == nil ? listeners[number] : nil,
                        port: port,
                        peers: ports.filter { $0 !== port },
                        handler: handler,
                        metrics: counters,
                        census: census,
                        sessions: sessions,
                        position: position
                    ).run { isStarted.fulfil($0) }
                }
            )
            guard isStarted.wait() else { throw .noLoop }
        }
        (self.ports, self.threads, self.metrics) = (ports, threads, counters)
        self.port = listeners[0].port
        door = try identity.map { identity throws(GatewayError) in
            try Gateway.openDoor(settings, identity, listeners[0], ports, census, counters)
        }
    }

    private static func openDoor(
        _ settings: LoopSettings,
        _ identity: ServerIdentity,
        _ listener: ListeningSocket,
        _ loops: [LoopPort],
        _ census: Census,
        _ metrics: GatewayMetrics
    ) throws(GatewayError) -> (FrontDoorPort, WorkerThread) {
        let isStarted = Promise<Bool>()
        let port = FrontDoorPort()
        let thread = WorkerThread(name: "door:\(listener.port)") {
            let door = FrontDoor(
                settings: settings,
                identity: identity,
                listener: listener,
                port: port,
                loops: loops,
                census: census,
                metrics: metrics
            )
            isStarted.fulfil(door != nil)
            door?.run()
        }
        guard isStarted.wait() else { throw .noDoor }
        return (port, thread)
    }

    /// Hands publications to every loop; each finds its own pages.
    public func publish(_ publications: [Publication]) {
        let publications = publications.map { publication in
            var publication = publication
            publication.depart(to: ports.count, metrics)
            return publication
        }
        for port in ports { port.send(.publish(publications)) }
    }

    /// Tells every open page to load itself again, over 3 s when they are thousands.
    public func refreshPages() {
        for port in ports { port.send(.refreshPages) }
    }

    /// Shows new connections a renewed certificate; those that stand are not disturbed.
    public func renew(_ identity: ServerIdentity) {
        for port in ports { port.send(.identity(identity)) }
        door?.port.send(.identity(identity))
    }

    /// Accepts no more, and ends all pages so that they come back soon, elsewhere or here. Returns when all have gone:
    /// at once for a few, after 3 s for thousands.
    public func drain() {
        door?.port.send(.drain)
        let goodbyes = ports.map { port in
            let done = Promise<Void>()
            port.send(.drain(done))
            return done
        }
        for goodbye in goodbyes { goodbye.wait() }
    }

    /// Closes everything and joins the threads. Once only.
    public func stop() {
        door?.port.send(.drain)
        for port in ports { port.send(.stop) }
        for thread in threads { thread.join() }
        // What the loops have said last is still on its way out.
        door?.port.send(.stop)
        door?.thread.join()
    }
}
