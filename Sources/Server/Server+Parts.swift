internal import API
internal import AppleStore
internal import Assets
internal import Concurrency
internal import Development
internal import Domain
internal import Gateway
internal import Jobs
internal import Ledger
internal import Observability
internal import Redis
internal import TurboStreams

/// How each part is opened, and what a failure says.
extension Server {
    static func templates(_ configuration: Configuration) throws(StartError) -> TemplateStore {
        do throws(TemplateProblems) {
            // The offers are the demo's: an app's own server renders the app's.
            let own = Assets.fragments.filter { configuration.isDevelopment || !$0.key.hasPrefix("paywall.") }
            return try TemplateStore(folder: "\(configuration.publicFolder ?? "public")/fragments", builtIn: own)
        } catch {
            throw .templates(error)
        }
    }

    static func lock(_ path: String) throws(StartError) -> LedgerLock {
        do throws(LedgerError) {
            return try LedgerLock(path: path)
        } catch {
            throw .ledger(error)
        }
    }

    static func ledger(
        _ configuration: Configuration,
        _ clock: Clock,
        _ log: Log,
        _ metrics: Metrics,
        _ publisher: Publisher,
        _ ends: AccessExpiry
    ) throws(StartError) -> (writer: LedgerWriter, reader: LedgerReader) {
        let (path, policy) = (configuration.databasePath, configuration.accessPolicy)
        do throws(LedgerError) {
            let writer = try LedgerWriter(
                path: path,
                clock: clock,
                policy: policy,
                streams: configuration.streamPattern,
                providers: configuration.providers,
                log: log,
                metrics: metrics,
                onCommit: { entries in
                    publisher.committed(entries)
                    ends.committed(entries)
                },
                onLanguage: { user in
                    if let stream = configuration.streamPattern.stream(for: user) { publisher.forget(stream) }
                }
            )
            let reader = try LedgerReader(
                path: path,
                clock: clock,
                policy: policy,
                streams: configuration.streamPattern
            )
            return (writer, reader)
        } catch {
            throw .ledger(error)
        }
    }

    static func redis(
        _ settings: RedisSettings?,
        _ writer: LedgerWriter,
        _ log: Log,
        _ metrics: Metrics
    ) throws(StartError) -> RedisListener? {
        guard let settings else { return nil }
        let listener = RedisListener(settings, log: log, metrics: metrics) { fragments, completion in
            writer.submit(
                .broadcast(fragments) { result in
                    switch result {
                    case .success: completion(.committed)
                    case .failure(.busy): completion(.busy)
                    case .failure: completion(.refused)
                    }
                }
            )
        }
        guard let listener else { throw .gateway(.noDescriptors) }
        return listener
    }

    static func gateway(
        _ configuration: Configuration,
        _ endpoints: Endpoints,
        _ clock: Clock,
        _ metrics: Metrics,
        _ epoch: String,
        _ position: Int64
    ) throws(StartError) -> Gateway {
        do throws(GatewayError) {
            return try Gateway(
                address: configuration.bind == "localhost" ? "127.0.0.1" : configuration.bind,
                port: configuration.port,
                loops: configuration.loops,
                epoch: epoch,
                position: position,
                clock: clock,
                stores: Set(configuration.providers),
                identity: configuration.tls?.identity,
                handler: endpoints,
                metrics: metrics,
                limits: configuration.limits,
                proxies: configuration.trustedProxies
            )
        } catch {
            throw .gateway(error)
        }
    }

    /// Nil outside development.
    static func demo(
        _ configuration: Configuration,
        _ keys: Credentials,
        _ ledger: (writer: LedgerWriter, reader: LedgerReader),
        _ templates: TemplateStore,
        _ clock: Clock,
        _ timings: EventTimings
    ) -> DemoRoutes? {
        keys.workspace.map { workspace in
            let surroundings = DemoSurroundings(
                workspace: workspace,
                writer: ledger.writer,
                reader: ledger.reader,
                templates: templates,
                streams: configuration.streamPattern,
                apiKey: keys.apiKeys.first ?? "",
                signer: keys.signer,
                bundleID: configuration[AppleStore.self]?.firstBundle,
                publicFolder: configuration.publicFolder,
                isSecure: configuration.tls != nil
            )
            return DemoRoutes(surroundings, clock: clock, timings: timings)
        }
    }

    /// Where the ledger stands before the first page connects. A guess would not do: pages are told what they missed
    /// since then.
    static func head(_ reader: LedgerReader) throws(StartError) -> Int64 {
        let answer = Promise<Result<Int64, LedgerError>>()
        let isAsked = reader.head { answer.fulfil($0.map(\.position)) }
        guard isAsked else { throw .ledger(.busy) }
        do throws(LedgerError) {
            return try answer.wait().get()
        } catch {
            throw .ledger(error)
        }
    }
}
