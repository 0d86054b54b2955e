import APIModel
import Domain
import Encoding
import HTTPClient
import Support
import Synchronization
import TestSupport

@testable import Simulator

/// What goes on while a server is restarted: a store posts, the app broadcasts, and pages follow, each as soon as it can.
final class RestartTraffic: Sendable {
    struct Seen: Sendable {
        /// What was refused, or not answered.
        var failures: [String] = []
        var statuses: Set<Int> = []
        /// Of the store's events, each by its id.
        var outcomes: [String: String] = [:]
        /// The texts of the app's broadcasts, in order.
        var published: [String] = []
        /// The texts that each page was shown.
        var pages: [[String]] = [[], []]
        var answered = 0
    }

    private static let end = "end"
    private let server: PaycastServer
    private let workspace: DevelopmentWorkspace
    private let stream: String
    /// Before anything happened.
    private let start: String
    private let seen = Mutex(Seen())
    private let isOver = Mutex(false)

    init(_ server: PaycastServer) throws {
        self.server = server
        workspace = try DevelopmentWorkspace.existing(in: server.folder.path)
        let sign = server.paycast("sign", "room:1")
        try sign.waitForExit()
        stream = String(sign.output.split(separator: "\n").first ?? "")
        start = try EventStreamClient(port: server.port, path: "/streams?name=\(stream)").block().id ?? ""
    }

    func wait(forAnswers count: Int) throws {
        try Deadline(.seconds(60)).wait(for: "\(count) answers") { seen.withLock { $0.answered >= count } }
    }

    /// Returns once everybody is done. `disturb` runs meanwhile.
    func run(while disturb: () throws -> Void) throws -> Seen {
        let pages = (0..<2).map { index in WorkerThread(name: "page") { [self] in read(index) } }
        // A store opens a connection for each delivery, or keeps one.
        let stores = [true, true, false].enumerated().map { index, isFresh in
            WorkerThread(name: "store") { [self] in sell(as: "store-\(index)", isFresh: isFresh) }
        }
        let app = WorkerThread(name: "app") { [self] in publish() }
        let result = Result { try disturb() }
        isOver.withLock { $0 = true }
        (stores + [app] + pages).forEach { $0.join() }
        try result.get()
        sell(RestartTraffic.end, of: SimulatedPurchaseKit(workspace), over: HTTPClient(timeout: .seconds(60)))
        return seen.withLock { $0 }
    }

    /// How often each of the store's events was committed.
    func committed() throws -> [String: Int] {
        let feed = try EventStreamClient(
            port: server.port,
            path: "/feed?since=\(start)",
            headers: [("Authorization", "Bearer \(workspace.apiKey)")]
        )
        var counts: [String: Int] = [:]
        while let data = try feed.message().data, let item = JSON.decode(FeedItem.self, from: Array(data.utf8)) {
            if let event = item.event { counts[event, default: 0] += 1 }
            if item.event == RestartTraffic.end { break }
        }
        return counts
    }

    private func sell(as name: String, isFresh: Bool) {
        let store = SimulatedPurchaseKit(workspace)
        let kept = HTTPClient(timeout: .seconds(60))
        var number = 0
        while !isOver.withLock({ $0 }) {
            number += 1
            let client = isFresh ? HTTPClient(timeout: .seconds(60)) : kept
            sell("\(name)-\(number)", of: store, over: client)
        }
    }

    private func sell(_ id: String, of store: SimulatedPurchaseKit, over client: HTTPClient) {
        let facts = SimulatedSubscription(product: "paycast.pro.monthly", lineage: "lineage-\(id)")
        let event = SimulatedEvent(type: "subscription.created", facts: facts, user: id, now: Clock().now(), id: id)
        guard let delivery = try? store.delivery(event) else { return fail("\(id) cannot be signed") }
        let answer = post(delivery.path, headers: delivery.headers, body: delivery.body, over: client)
        seen.withLock { $0.outcomes[id] = answer?["outcome"]?.text ?? "none" }
    }

    private func publish() {
        let client = HTTPClient(timeout: .seconds(60))
        var number = 0
        while true {
            number += 1
            let isLast = isOver.withLock { $0 }
            let text = isLast ? RestartTraffic.end : "\(number)"
            let body = #"{"stream":"room:1","action":"append","target":"log","html":"\#(text)"}"#
            let headers = [
                ("Authorization", "Bearer \(workspace.apiKey)"), ("Content-Type", "application/json"),
                ("Idempotency-Key", text),
            ]
            _ = post("/broadcasts", headers: headers, body: Array(body.utf8), over: client)
            seen.withLock { $0.published.append(text) }
            if isLast { return }
            // A page that has missed over 100 fragments reloads, which is no restart's fault.
            try? Deadline(.seconds(30)).wait { seen.withLock { seen in seen.pages.allSatisfy { $0.count >= number } } }
        }
    }

    /// Posts until it is taken, as stores do: what a server that ends cannot take any more, it asks for again.
    private func post(
        _ path: String,
        headers: [(String, String)],
        body: [UInt8],
        over client: HTTPClient
    ) -> JSONNode? {
        while true {
            do throws(HTTPClientError) {
                let answer = try client.send("POST", to: server.url + path, headers: headers, body: body)
                seen.withLock { _ = $0.statuses.insert(answer.status) }
                guard answer.status == 503 else {
                    seen.withLock { $0.answered += 1 }
                    return JSONNode(String(decoding: answer.body, as: UTF8.self))
                }
                Waker().wait(timeout: .milliseconds(20))
            } catch {
                fail("\(path): \(error)")
                return nil
            }
        }
    }

    private func fail(_ text: String) {
        seen.withLock { $0.failures.append(text) }
    }

    /// Follows the stream as a page does, over all its connections.
    private func read(_ index: Int) {
        var cursor = start
        let deadline = Deadline(.seconds(120))
        while !deadline.hasPassed {
            do throws(RawSocketError) {
                let path = "/streams?name=\(stream)&since=\(cursor)"
                let page = try EventStreamClient(port: server.port, path: path, timeout: .seconds(60))
                while true {
                    let message = try page.message()
                    cursor = message.id ?? cursor
                    let parts = (message.data ?? "").split(separator: "<template>").dropFirst()
                    let texts = parts.map { String($0.prefix { $0 != "<" }) }
                    seen.withLock { $0.pages[index] += texts }
                    if texts.last == RestartTraffic.end { return }
                }
            } catch {
                // The server has ended it. That it may connect again is what is tried.
                if case .system(call: "connect", _) = error { fail("page: \(error)") }
            }
        }
        fail("page: not current in time")
    }
}
