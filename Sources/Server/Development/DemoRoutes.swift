import API
import Domain
import Encoding
import HTTP
import Ledger
import Pages
import Simulator
import Support

/// What `--dev` adds to the server: the demo page, the simulated stores behind its buttons, and its event list.
final class DemoRoutes: Sendable {
    private let workspace: DevelopmentWorkspace
    /// The bearer key that the simulated stores use.
    private let apiKey: String
    /// The apps that the simulated stores sell for, where the settings name one.
    private let apps: [Provider: String]
    private let clock: Clock
    private let page: DemoPage
    private let events: DemoEvents
    /// Pages and events wait for the ledger.
    private let pages = WorkerPool(name: "demo-page", threads: 2, capacity: 1000)
    /// The simulated stores talk to this server over HTTP like real ones, so they wait on a thread of their own.
    private let store = WorkerPool(name: "demo-store", threads: 1, capacity: 100)
    /// This server's address, once it is known.
    private let address = SharedValue<String?>(nil)
    /// The simulated APIs of the stores, by the store's name, and the clock.
    private let standIns: [String: any StandIn]
    private let callees = WorkerPool(name: "demo-api", threads: 2, capacity: 1000)

    init(_ core: ServerCore, workspace: DevelopmentWorkspace) {
        self.workspace = workspace
        clock = core.clock
        apiKey = core.keys.access.first?.secret.value ?? ""
        apps = core.configuration.simulatedApps
        page = DemoPage(core)
        events = DemoEvents(reader: core.reader, epoch: core.writer.epoch, timings: core.telemetry.timings)
        standIns = [
            "apple": AppleStandIn(
                signer: workspace.signer,
                app: apps[.apple] ?? SimulatedAppStore.bundleID,
                now: core.clock.now
            ) { [address] in address.value.map { "\($0)/webhooks/apple" } },
            "google": GoogleStandIn(key: workspace.google),
            "stripe": StripeStandIn(),
            "clock": DemoRoutes.clock(core.clock, workspace: workspace, writer: core.writer),
        ]
    }

    /// From now on the server can be reached: tells the simulated store, and the commands in this folder, where.
    func serve(at address: String) throws(WorkspaceError) {
        self.address.replace(with: address)
        try workspace.write(address: address, clockOffset: clock.offset)
    }

    /// Setting this clock wakes the ledger and informs the commands in this folder.
    private static func clock(_ clock: Clock, workspace: DevelopmentWorkspace, writer: LedgerWriter) -> ClockStandIn {
        ClockStandIn(clock) {
            try? workspace.write(clockOffset: clock.offset)
            writer.wake()
        }
    }

    func close() {
        pages.close()
        store.close()
        callees.close()
    }

    func answer(_ request: Request) -> Answer? {
        switch request.route {
        case .file(path: "/"):
            .later { [page, pages] reply in pages.submit { reply.send(page.response(to: request)) } }
        case .demoEvents:
            .later { [events, pages] reply in
                pages.submit { reply.send(events.response(since: request.query["since"])) }
            }
        case .demoStore: .later { [self] reply in store.submit { self.deliver(request, to: reply) } }
        case .demoAPI(let path):
            .later { [self] reply in callees.submit { reply.send(self.call(path, request: request)) } }
        default: nil
        }
    }

    /// `path` is the store's name, followed by the path in its API.
    private func call(_ path: String, request: Request) -> Response {
        let store = path.prefix { $0 != "/" }
        let question = StandInRequest(
            method: request.method,
            path: String(path.dropFirst(store.count)),
            query: { request.query[$0] },
            authorization: request.authorization,
            body: request.body
        )
        guard let answer = standIns[String(store)]?.answer(question) else { return .demoNotFound }
        let headers = [(name: "Content-Type", value: "application/json")] + answer.headers
        return Response(status: answer.status, headers: headers, body: answer.body)
    }

    private func deliver(_ request: Request, to reply: Reply) {
        guard let purchase = DemoPurchase(request.body) else {
            return reply.send(
                .error(400, code: "invalid_body", message: "Send a form or JSON with user, step, store and product.")
            )
        }
        guard let address = address.value, let store = workspace.store(purchase.store) else {
            return reply.send(.unavailable("starting", message: "The simulated stores are not ready yet."))
        }
        let driver = StoreDriver(server: address, apiKey: apiKey, store: store)
        reply.send(purchase.deliver(with: driver, app: apps[purchase.store], now: clock.now()))
    }
}

extension Response {
    fileprivate static var demoNotFound: Response {
        .error(404, code: "not_found", message: "No stand-in of a store answers here.")
    }
}
