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
    private let core: ServerCore
    private let workspace: DevelopmentWorkspace
    /// The apps that the simulated stores sell for, where the settings name one.
    private let apps: [Provider: String]
    private let page: DemoPage
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
        self.core = core
        self.workspace = workspace
        apps = core.configuration.simulatedApps
        page = DemoPage(core: core)
        standIns = [
            "apple": AppleStandIn(
                signer: workspace.signer,
                app: apps[.apple] ?? SimulatedAppStore.bundleID,
                now: core.clock.now
            ) { [address] in address.value.map { "\($0)/webhooks/apple" } },
            "google": GoogleStandIn(key: workspace.google),
            "stripe": StripeStandIn(),
            // Setting this clock wakes the ledger and informs the commands in this folder.
            "clock": ClockStandIn(core.clock) {
                try? workspace.write(clockOffset: core.clock.offset)
                core.writer.wake()
            },
        ]
    }

    /// From now on the server can be reached: tells the simulated store, and the commands in this folder, where.
    func serve(at address: String) throws(WorkspaceError) {
        self.address.replace(with: address)
        try workspace.write(address: address, clockOffset: core.clock.offset)
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
            .later { [self] reply in pages.submit { reply.send(self.events(since: request.query["since"])) } }
        case .demoStore: .later { [self] reply in store.submit { self.deliver(request, to: reply) } }
        case .demoAPI(let path):
            .later { [self] reply in callees.submit { reply.send(self.call(path, request: request)) } }
        default: nil
        }
    }

    /// `path` is the store's name, followed by the path in its API.
    private func call(_ path: String, request: Request) -> Response {
        let store = path.prefix { $0 != "/" }
        let place = String(path.dropFirst(store.count))
        var question = StandInRequest(method: request.method, path: place, body: request.body)
        question.query = { request.query[$0] }
        question.authorization = request.authorization
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
        let key = core.keys.access.first?.secret.value ?? ""
        let driver = StoreDriver(server: address, apiKey: key, store: store)
        reply.send(purchase.deliver(with: driver, app: apps[purchase.store], now: core.clock.now()))
    }
}

extension Response {
    fileprivate static var demoNotFound: Response {
        .error(404, code: "not_found", message: "No stand-in of a store answers here.")
    }
}

/// `GET /demo/events[?since=CURSOR]`: what was committed since, oldest first, each with how long its stages took. The
/// page polls it instead of holding it open: a browser has six connections to a server for all its tabs.
extension DemoRoutes {
    private static let eventLimit = 50

    /// Blocks.
    private func events(since text: String?) -> Response {
        let (reader, epoch) = (core.reader, core.writer.epoch)
        let position: Int64
        if let cursor = text.flatMap(Cursor.init), cursor.epoch == epoch {
            position = cursor.position
        } else {
            let newest = (try? reader.answer { try $0.head() }.position) ?? 0
            position = max(0, newest - Int64(DemoRoutes.eventLimit))
        }
        let found = try? reader.answer { try $0.entries(after: position, limit: DemoRoutes.eventLimit) }
        guard let found else { return .unavailable("ledger_failed", message: "The ledger cannot be read.") }
        let lines = found.entries.map { entry in
            DemoRoutes.line(entry, timing: entry.notice.eventKey.flatMap { core.telemetry.timings[$0] }, epoch: epoch)
        }
        return Response(status: 200, contentType: "application/json", body: "[\(lines.joined(separator: ","))]")
    }

    /// `timing` is in milliseconds since the webhook was received: `age` until now, the others until the stage ended. An
    /// entry that is read is committed, even when the writer has not yet come to say so: the page asks for it only once.
    static func line(_ entry: Entry, timing: EventTimings.Timing?, epoch: String) -> String {
        let event = String(decoding: FeedEvent.json(entry, epoch: epoch), as: UTF8.self)
        guard let timing else { return "{\"event\":\(event)}" }
        let now = monotonicNanoseconds()
        let milliseconds = { (end: MonotonicTime) in Double(end - timing.received) / 1e6 }
        let values = [("age", now), ("verified", timing.verified), ("committed", timing.committed ?? now)]
        let members = values.map { "\"\($0)\":\(milliseconds($1))" }.joined(separator: ",")
        return "{\"event\":\(event),\"timing\":{\(members)}}"
    }
}

/// `/demo/api/clock` of a development server: `PUT {"advance":seconds}` or `{"now":"2026-01-31T12:00:00Z"}` sets its
/// clock, `GET` reads it. Answers `{"now":…}`.
struct ClockStandIn: StandIn {
    /// 1970 to 2100: the range in which every part of the server can compute.
    private static let possible = Instant(milliseconds: 0)...Instant(milliseconds: 4_102_444_800_000)

    private let clock: Clock
    /// Runs after the clock was set: informs the commands, and wakes threads that sleep until an instant.
    private let onChange: @Sendable () -> Void

    init(_ clock: Clock, onChange: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.onChange = onChange
    }

    func answer(_ request: StandInRequest) -> StandInAnswer? {
        if request.method == "GET" { return told(clock.now()) }
        guard request.method == "PUT" else { return nil }
        guard let body = try? JSONNode.object(strictly: request.body), let instant = instant(body),
            ClockStandIn.possible.contains(instant)
        else {
            let message = "Send advance in seconds, or now in ISO 8601; between 1970 and 2100."
            return StandInAnswer(
                status: 400,
                body: Array(#"{"error":"invalid_clock","message":"\#(message)"}"#.utf8)
            )
        }
        clock.set(to: instant)
        onChange()
        return told(instant)
    }

    private func instant(_ body: JSONNode) -> Instant? {
        if let now = body["now"], !now.isNull { return now.text.flatMap { Instant(iso8601: $0) } }
        // A hundred years either way; anything more is never a possible instant.
        guard let seconds = body["advance"]?.integer, (-3_200_000_000...3_200_000_000).contains(seconds) else {
            return nil
        }
        return clock.now() + .seconds(seconds)
    }

    private func told(_ instant: Instant) -> StandInAnswer {
        StandInAnswer(status: 200, body: Array(#"{"now":"\#(instant.iso8601)"}"#.utf8))
    }
}
