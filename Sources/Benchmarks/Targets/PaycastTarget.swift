import Crypto
import Domain
import Encoding
import Glibc
import Simulator

/// The real server next to this program, in development mode, with its own folder and ledger.
struct PaycastTarget: Target {
    static let bundleID = "com.example.benchmarks"
    private static let product = "paycast.pro.monthly"

    let process: ChildProcess
    private let workspace: DevelopmentWorkspace
    private let apiKey: String
    private let streams: StreamNameVerifier

    /// `folder` may already contain a ledger.
    init(in folder: String) throws(BenchmarkError) {
        try self.init(in: folder, port: 0)
    }

    /// Without `loops`, the server runs one loop per core. Servers with the same folder have the same keys; with the
    /// same `database`, they are nodes of one ledger. `backend` is the address that is told what changes.
    init(
        in folder: String,
        port: Int,
        loops: Int? = nil,
        database: String? = nil,
        backend: String? = nil
    ) throws(BenchmarkError) {
        var settings = ["PAYCAST_APPLE_BUNDLE_ID": PaycastTarget.bundleID, "PAYCAST_APPLE_ENVIRONMENTS": "Sandbox"]
        settings["DATABASE_URL"] = database
        settings["PAYCAST_HOOK_URLS"] = backend
        var options = [
            "--dev", "--port", "\(port)", "--public", Paths.workingFolder + "/public", "--log-level", "warning",
        ]
        if let loops { options += ["--loops", "\(loops)"] }
        process = try ChildProcess([Paths.programs + "/paycast", "serve"] + options, in: folder, environment: settings)
        do throws(WorkspaceError) {
            workspace = try DevelopmentWorkspace.existing(in: folder)
            apiKey = workspace.apiKey
            guard let signer = StreamNameVerifier(keys: [StreamNameVerifier.Key(text: workspace.streamKey)]) else {
                throw .damaged(path: folder)
            }
            streams = signer
        } catch {
            throw .notStarted("\(error)")
        }
    }

    var port: Int { process.port }

    func user(_ channel: Int) -> String { "bench-\(channel)" }

    /// The name that `PAYCAST_STREAM_NAME` produces by default.
    private func stream(_ channel: Int) -> String { "user:\(user(channel)):paywall" }

    func path(channel: Int) -> String {
        "/streams?name=" + signedName(channel).map { percentEncoded[$0] ?? String($0) }.joined()
    }

    func signedName(_ channel: Int) -> String {
        StreamName(stream(channel)).map { streams.sign($0) } ?? ""
    }

    func subscribeCommand(channel: Int) -> String {
        let identifier = #"{"channel":"Turbo::StreamsChannel","signed_stream_name":"\#(signedName(channel))"}"#
        return #"{"command":"subscribe","identifier":\#(JSONLiteral.literal(identifier))}"#
    }

    /// A broadcast that is committed and gets a position in the history.
    func event(_ html: String, channel: Int) -> [UInt8] {
        post("/broadcasts", json: #"{"stream":"\#(stream(channel))","html":"\#(html)"}"#)
    }

    /// The request that an app sends when it renders a page.
    func rendering(channel: Int) -> [UInt8] {
        question("/users/\(user(channel))/stream")
    }

    func entitlements(channel: Int) -> [UInt8] { question("/users/\(user(channel))/entitlements") }

    func broadcast(_ html: String, channel: Int) -> [UInt8] {
        post("/broadcasts", json: #"{"stream":"\#(stream(channel))","html":"\#(html)","transient":true}"#)
    }

    /// Binds `token` to the channel's user.
    func order(_ token: OrderToken, channel: Int) -> [UInt8] {
        post(
            "/orders",
            json: #"{"user":"\#(user(channel))","product":"\#(PaycastTarget.product)","token":"\#(token)"}"#
        )
    }

    /// A first purchase as the store's webhook, and the documents that the stand-in needs before it.
    func purchase(
        _ token: OrderToken,
        of provider: Provider,
        channel: Int,
        now: Instant
    ) throws(BenchmarkError) -> (webhook: [UInt8], documents: [[UInt8]]) {
        guard let store = workspace.store(provider), let first = LifecycleEventNames(provider).event(for: .initial)
        else {
            throw .notStarted("no simulated store for \(provider)")
        }
        let facts = SimulatedSubscription(product: PaycastTarget.product, order: token)
        var event = SimulatedEvent(type: first.type, subtype: first.subtype, facts: facts, token: token, now: now)
        event.user = user(channel)
        event.app = provider == .apple ? PaycastTarget.bundleID : nil
        guard let delivery = try? store.delivery(event) else { throw .notStarted("\(provider) cannot sign") }
        let headers = delivery.headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        // Stripe's API is called only by servers with a key for it.
        let asked = provider == .google ? delivery.documents : []
        let documents = asked.map { document in
            request("PUT", "/demo/api/\(provider.rawValue)\(document.path)", body: document.json)
        }
        return (request("POST", delivery.path, headers: headers, body: delivery.body), documents)
    }

    /// What Apple sends `rounds` events after a first purchase of which `token` is the order: renewals, and the end of
    /// every second user's renewals at last.
    func change(_ token: OrderToken, channel: Int, after rounds: Int, isLast: Bool, now: Instant) throws(BenchmarkError)
        -> [UInt8]
    {
        var facts = SimulatedSubscription(product: PaycastTarget.product, order: token)
        for round in 0..<rounds { facts = facts.after(round == 0 ? .initial : .renew, at: now) }
        let step = rounds == 0 ? LifecycleStep.initial : isLast && channel.isMultiple(of: 2) ? .cancel : .renew
        guard let store = workspace.store(.apple), let names = LifecycleEventNames(.apple).event(for: step) else {
            throw .notStarted("no simulated App Store")
        }
        let later = now + .seconds(rounds)
        var event = SimulatedEvent(type: names.type, subtype: names.subtype, facts: facts, token: token, now: later)
        event.user = user(channel)
        event.app = PaycastTarget.bundleID
        guard let delivery = try? store.delivery(event) else { throw .notStarted("the app store cannot sign") }
        return request("POST", delivery.path, body: delivery.body)
    }

    /// Moves the server's clock.
    func advance(seconds: Int) -> [UInt8] {
        request("PUT", "/demo/api/clock", body: Array(#"{"advance":\#(seconds)}"#.utf8))
    }

    /// A purchase as an app posts it, through its backend.
    func transaction(_ token: OrderToken, now: Instant) throws(BenchmarkError) -> [UInt8] {
        let facts = SimulatedSubscription(product: PaycastTarget.product, order: token)
        var event = SimulatedEvent(type: "SUBSCRIBED", subtype: "INITIAL_BUY", facts: facts, token: token, now: now)
        event.app = PaycastTarget.bundleID
        guard let jws = try? SimulatedAppStore(signer: workspace.signer).transaction(event) else {
            throw .notStarted("the app store cannot sign")
        }
        return post("/transactions/apple", json: #"{"signedTransaction":"\#(jws)"}"#)
    }

    /// Logs in at the console as whoever is at a development server's machine may. Returns the session's cookie.
    func logIn(_ asker: Publishers) throws(BenchmarkError) -> String {
        let answer = try asker.ask(question("/console/enter"))
        guard let cookie = answer.between("Set-Cookie: ", ";") else { throw .refused(answer) }
        return cookie
    }

    /// Asks for a page of the console; `path` is what follows `/console`.
    func console(_ path: String, cookie: String) -> [UInt8] {
        Array("GET /console\(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: \(cookie)\r\n\r\n".utf8)
    }

    func question(_ path: String) -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(apiKey)\r\n\r\n".utf8)
    }

    private func post(_ path: String, json: String) -> [UInt8] {
        let headers = "Authorization: Bearer \(apiKey)\r\nContent-Type: application/json\r\n"
        return request("POST", path, headers: headers, body: Array(json.utf8))
    }
}

private let percentEncoded: [Character: String] = ["+": "%2B", "/": "%2F", "=": "%3D"]
