import API
import APIModel
import Console
import Domain
import Gateway
import Ledger
import Pages
import Rails
import Stores
import Support

/// Opens the parts.
extension ServerCore {
    func watch() -> LedgerWatch {
        LedgerWatch(
            writer: writer,
            reader: reader,
            files: ledger.files(of: writer, metrics: metrics),
            clock: clock
        )
    }

    /// Nil if no Redis is configured.
    func redis() throws(StartError) -> BroadcastListener? {
        guard let settings = configuration.redis else { return nil }
        let submit = submitBroadcasts { [leaderLease = ledger.leaderLease] in leaderLease.lease }
        guard let listener = BroadcastListener(redis: settings, log: log, metrics: metrics, submit: submit) else {
            throw StartError(SocketSetupError.noDescriptors)
        }
        return listener
    }

    /// Nil if no cable database is configured.
    func railsCable() throws(StartError) -> BroadcastListener? {
        guard let settings = configuration.railsCable else { return nil }
        let listener = BroadcastListener(
            railsCable: settings,
            log: log,
            metrics: metrics,
            follows: follows ?? FollowedStreams(),
            submit: submitBroadcasts { [lead] in lead.lease() }
        )
        guard let listener else { throw StartError(SocketSetupError.noDescriptors) }
        return listener
    }

    /// `lease` is that of what was read; nil if another node receives the same broadcasts and commits them.
    private func submitBroadcasts(under lease: @escaping @Sendable () -> Lease?) -> SubmitBroadcasts {
        { [writer] fragments, completion in
            guard let lease = lease() else {
                completion(.committed)
                return true
            }
            let command = LedgerCommand.broadcast(fragments) { result in
                switch result {
                case .success: completion(.committed)
                case .failure(.busy): completion(.busy)
                case .failure: completion(.refused)
                }
            }
            return writer.submit(.led(command, under: lease))
        }
    }

    /// Shows in `/metrics` when certificates end: that of pages, and the roots with which stores' documents are verified.
    func showCertificates(_ shown: CertificateHealth) {
        if configuration.tls != nil {
            metrics.gauge(.certificateEnd, labels: ["certificate": "tls"]) { Int(shown.end?.seconds ?? 0) }
        }
        for (provider, store) in stores.value.opened where store.rootsEnd != nil {
            metrics.gauge(.certificateEnd, labels: ["certificate": provider.rawValue]) { [stores] in
                Int(stores.value.opened[provider]?.rootsEnd?.seconds ?? 0)
            }
        }
    }

    /// `readiness` says on another thread whether the server is ready.
    func services(
        background: BackgroundServices,
        demo: DemoRoutes?,
        readiness: @escaping @Sendable (@escaping @Sendable (Readiness) -> Void) -> Bool
    ) -> Services {
        Services(
            isSecure: configuration.tls != nil,
            stores: configuration.storeTypes,
            trust: stores.value.trust(keys.authorization(configuration.allowedOrigins)),
            recoveries: background.recoveries,
            hooks: background.hooks?.desk ?? .none,
            writer: writer,
            reader: reader,
            templates: templates,
            catalogs: catalogs,
            streams: configuration.streamPattern,
            clock: clock,
            log: log,
            metrics: metrics,
            telemetry: telemetry,
            deliveries: deliveries,
            storeHealth: storeContext.health,
            workers: workers,
            blockingPools: blockingPools,
            broadcast: ledger.broadcast,
            endedPages: endedPages,
            openPages: publisher.openPages,
            node: ledger.node,
            isLedgerShared: ledger.isShared,
            publicFolder: configuration.publicFolder,
            development: demo?.answer,
            readiness: readiness
        )
    }

    /// `api` are the endpoints without the console: what its pages ask.
    func console(_ services: Services, api: Endpoints) -> Console {
        var settings = ConsoleSettings(
            keys: { services.authorization.accessKeys },
            now: clock.now,
            spend: { [writer] id in
                guard let key = IdempotencyKey(header: "console-\(id)") else { return nil }
                let answer = Promise<Result<KeyedBroadcast, LedgerError>>()
                // A broadcast of nothing: the key alone is committed.
                let command = LedgerCommand.broadcastOnce([], KeyedRequest(key: key, digest: id)) { answer.fulfil($0) }
                guard writer.submit(command), case .success(let result)? = answer.wait(timeout: .seconds(10))
                else { return nil }
                if case .made = result { return true }
                return false
            },
            isSpent: { [reader] id in
                guard let key = IdempotencyKey(header: "console-\(id)") else { return nil }
                return try? reader.answer(within: .seconds(2)) { try $0.hasKey(key) }
            }
        )
        settings.isDevelopment = configuration.isDevelopment
        settings.isSecure = configuration.tls != nil
        settings.ownAddress = configuration.consoleURL ?? consoleAddress
        settings.publish = { [consolePages] in consolePages.value?.publish([Publication(transient: $0)]) }
        settings.isFollowed = { [consolePages] stream in consolePages.value?.follows(stream) ?? false }
        settings.facts = { [facts] in facts.value }
        return Console(settings, api: api)
    }

    /// Nil unless the console has an address of its own.
    private var consoleAddress: String? {
        guard let bind = configuration.consoleBind, let port = consoleSocket?.port else { return nil }
        return ServerAddress(bind: bind.address, port: port, isSecure: configuration.tls != nil).shown
    }

    func gateway(
        _ handler: any RequestHandler,
        at address: BoundAddress,
        position: Int64,
        metrics: Metrics
    ) throws(StartError) -> Gateway {
        try starting {
            try Gateway(
                address: address,
                epoch: writer.epoch,
                position: position,
                clock: clock,
                stores: configuration.storeRoutes,
                identity: configuration.tls?.identity,
                handler: handler,
                metrics: metrics,
                limits: configuration.limits,
                proxies: configuration.trustedProxies,
                onFollow: follows.map { follows in { @Sendable (stream: StreamName) in follows.follow(stream) } }
            )
        }
    }
}

/// Answers at the console's own address: with its pages, and nothing else.
struct ConsoleHandler: RequestHandler {
    /// With the console.
    let endpoints: Endpoints

    var hasConsole: Bool { endpoints.hasConsole }

    func handle(_ request: Request) -> Answer {
        switch request.route {
        case .console: endpoints.handle(request)
        case .file(path: "/"): .respond(Response(status: 303, headers: [("Location", "/console")]))
        default: .respond(.notFound)
        }
    }

    func subscribe(_ parameters: CableParameters, history: CableHistory?) -> CableVerdict { .rejected }
}
