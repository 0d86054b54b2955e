internal import Domain
internal import Fragments
internal import Gateway
internal import Ledger
internal import Runtime
internal import Simulator
internal import Synchronization

/// What `--dev` serves beside everything else: the demo page, the simulated store behind its buttons, its event list.
final class DemoRoutes: DevelopmentRoutes {
    private let workspace: DevelopmentWorkspace
    private let apiKey: String
    private let page: DemoPage
    private let feed: FeedEndpoint
    private let reader: LedgerReader
    /// The simulated store talks to this server over HTTP like a real one, so it waits on a thread of its own.
    private let store = WorkerPool(name: "demo-store", threads: 1, capacity: 100)
    private let address = Mutex<String?>(nil)

    init(
        workspace: DevelopmentWorkspace,
        _ configuration: Configuration,
        reader: LedgerReader,
        epoch: String,
        templates: TemplateStore,
        keys: Keys
    ) {
        self.workspace = workspace
        self.reader = reader
        apiKey = keys.apiKeys.first ?? ""
        page = DemoPage(configuration, templates: templates, signer: keys.signer)
        feed = FeedEndpoint(reader: reader, epoch: epoch)
    }

    /// From now on the server can be reached: tells the simulated store, and the commands in this folder, where.
    func serve(at address: String) {
        self.address.withLock { $0 = address }
        workspace.writeAddress(address)
    }

    func close() {
        store.close()
    }

    func answer(_ request: Request) -> Answer? {
        switch request.route {
        case .file(path: "/"): .later { [page, reader] in page.send(request, to: $0, from: reader) }
        case .demoFeed: feed.answer(request)
        case .demoStore: .later { [self] reply in store.submit { self.deliver(request, reply) } }
        default: nil
        }
    }

    private func deliver(_ request: Request, _ reply: Reply) {
        guard let address = address.withLock({ $0 }), let purchase = DemoPurchase(request.body) else {
            return reply.send(.error(400, "invalid_json", "Send {\"user\":…,\"type\":…} as JSON strings."))
        }
        reply.send(purchase.deliver(to: address, apiKey: apiKey, workspace: workspace))
    }
}
