public import Domain
public import HTTP
public import Pages
public import Support

/// All socket loops of a server, behind one interface.
public final class Gateway: Sendable {
    let ports: [LoopPort]
    private let threads: [WorkerThread]
    private let metrics: GatewayMetrics
    /// The port that the gateway is bound to.
    public let port: Int

    /// Listens at `address` and starts serving. `position` is the ledger's newest entry; all later publications are newer.
    ///
    /// With an `identity`, every connection speaks TLS. `onFollow` runs on a loop's thread when a page follows a stream
    /// that no other page of that loop follows; it must not block. `tick` is how often the loops check what is due.
    public init(
        address: BoundAddress,
        epoch: String,
        position: Int64,
        clock: Clock = Clock(),
        stores: StoreRoutes,
        identity: ServerIdentity? = nil,
        handler: any RequestHandler,
        metrics: Metrics,
        limits: Limits = Limits(),
        proxies: [IPNetwork] = [],
        onFollow: (@Sendable (StreamName) -> Void)? = nil,
        tick: Duration = .milliseconds(100)
    ) throws(SocketSetupError) {
        let listeners = try address.listen()
        let counters = GatewayMetrics(metrics)
        let settings = LoopSettings(
            epoch: epoch,
            clock: clock,
            stores: stores,
            limits: limits,
            proxies: proxies,
            tick: tick,
            handler: handler,
            metrics: counters,
            limiter: ConnectionLimiter(limits: limits, proxies: proxies)
        )
        let ports = (0..<address.loops).compactMap { _ in LoopPort(onFollow: onFollow) }
        guard ports.count == address.loops else { throw .noDescriptors }
        var threads: [WorkerThread] = []
        for (number, port) in ports.enumerated() {
            let started = Promise<SocketSetupError?>()
            threads.append(
                // With the port, so that several servers can be told apart.
                WorkerThread(name: "loop-\(number):\(address.port)") {
                    do throws(SocketSetupError) {
                        let loop = try SocketLoop(
                            settings: settings,
                            identity: identity,
                            // The kernel hands out what arrives at several sockets, but not what arrives at one: epoll(7)
                            // would wake the same loop each time. So the first loop accepts for all.
                            listener: number < listeners.count ? listeners[number] : nil,
                            acceptsForAll: listeners.count < ports.count,
                            port: port,
                            peers: ports.filter { $0 !== port },
                            position: position
                        )
                        started.fulfil(nil)
                        loop.run()
                    } catch {
                        started.fulfil(error)
                    }
                }
            )
            if let error = started.wait() { throw error }
        }
        self.ports = ports
        self.threads = threads
        self.metrics = counters
        port = address.port
        metrics.gauge(.queuedBytes) { ports.reduce(0) { $0 + $1.owed } }
    }

    /// Hands publications to every loop; each loop finds its own pages. Never waits.
    public func publish(_ publications: [Publication]) {
        let publications = publications.map { publication in
            var publication = publication
            publication.depart(to: ports.count, metrics: metrics)
            return publication
        }
        for port in ports { port.publish(publications) }
    }

    /// False while a loop is behind with what was published: whoever can wait with more does.
    public var hasRoom: Bool { ports.allSatisfy(\.hasRoom) }

    /// Waits until there is room, a second at most: what is committed has to go out. Never call it on a loop, or on the thread
    /// that writes the ledger.
    public func waitForRoom() {
        for _ in 0..<100 {
            guard !hasRoom else { return }
            Waker().wait(timeout: .milliseconds(10))
        }
    }

    /// Makes every open page reload, over 3 s when there are thousands. For changes that no ledger entry records.
    public func refreshPages() {
        atEachLoop { $0.reloadPages(for: nil) }
    }

    /// Templates have changed: from now on, missed messages are rendered again.
    public func forgetRecentMessages() {
        atEachLoop { $0.hub.forgetRecentMessages() }
    }

    /// The user of this stream now reads another language, or in another time zone: what its pages missed is rendered again.
    public func forgetRecentMessages(on stream: StreamName) {
        atEachLoop { $0.hub.forgetRecentMessages(on: stream) }
    }

    private func atEachLoop(_ work: @escaping @Sendable (SocketLoop) -> Void) {
        for port in ports { port.send(.run(work)) }
    }

    /// Returns once each loop has called its promise's `fulfil`.
    private func waitForEachLoop(_ work: @escaping @Sendable (SocketLoop, Promise<Void>) -> Void) {
        let answers = ports.map { port in
            let answer = Promise<Void>()
            port.send(.run { work($0, answer) })
            return answer
        }
        for answer in answers { answer.wait() }
    }

    /// Every stream that a page follows.
    public var followedStreams: [StreamName] {
        Array(Set(ports.flatMap(\.pageStreams)))
    }

    /// Whether anybody follows a stream, a feed too.
    public func follows(_ stream: StreamName) -> Bool { ports.contains { $0.follows(stream) } }

    /// Asks every loop for its pages that follow a stream. The answer comes on a loop's thread.
    public func openPages(on stream: StreamName, completion: @escaping @Sendable ([OpenPage]) -> Void) {
        openPages(on: stream, at: ports[...], after: [], completion: completion)
    }

    private func openPages(
        on stream: StreamName,
        at ports: ArraySlice<LoopPort>,
        after found: [OpenPage],
        completion: @escaping @Sendable ([OpenPage]) -> Void
    ) {
        guard let port = ports.first else { return completion(found) }
        port.send(
            .run { [self] loop in
                let pages = found + loop.openPages(on: stream)
                openPages(on: stream, at: ports.dropFirst(), after: pages, completion: completion)
            }
        )
    }

    /// Connections and HTTP/2 requests that have ended since the start.
    public var endedConnections: Int { metrics.ended.value }

    /// The bytes of the messages published since the start.
    public var publishedBytes: Int { metrics.publishedBytes.value }

    /// Shows a renewed certificate to new connections; open connections are not disturbed.
    public func renew(_ identity: ServerIdentity) {
        atEachLoop { $0.security?.identity = identity }
    }

    /// Returns once each loop has handled everything sent to it before.
    public func waitForLoops() {
        waitForEachLoop { _, answer in answer.fulfil(()) }
    }

    /// Accepts no more connections, and ends all pages in a way that makes them come back soon, here or elsewhere.
    /// Returns when all have been told: at once for a few, after 3 s for thousands.
    public func drain() {
        waitForEachLoop { $0.startDrain($1) }
    }

    /// Closes everything and joins the threads. Call it once.
    public func stop() {
        atEachLoop { $0.stop() }
        for thread in threads { thread.join() }
    }
}

extension Gateway {
    /// Ends every connection that follows a stream, for good: whoever comes back with the same name is refused by then.
    public func endPages(on stream: StreamName) {
        atEachLoop { $0.endPages(on: stream) }
    }

    /// Users were erased on another node: their messages are forgotten, and their pages reload. `isErased` is called
    /// for each stream that a page follows, on a thread of `workers`, because it computes a digest.
    public func reloadPages(on workers: WorkerPool, where isErased: @escaping @Sendable (StreamName) -> Bool) {
        atEachLoop { loop in
            // A page that subscribes after this reads of the erasure in the ledger.
            loop.hub.forgetRecentMessages()
            let search: @Sendable () -> Void = { [port = loop.port] in
                let erased = port.pageStreams.filter(isErased)
                port.send(.run { loop in for stream in erased { loop.reloadErased(stream) } })
            }
            if !workers.submit(search) { search() }
        }
    }
}

extension SocketLoop {
    fileprivate func reloadErased(_ stream: StreamName) {
        erase(stream)
        publish(Message(stream: stream, position: nil, parts: [.refresh]))
    }
}
