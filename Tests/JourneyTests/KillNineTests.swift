import APIModel
import Domain
import Simulator
import Support
import Synchronization
import TestSupport
import Testing

/// `kill -9` at random moments under load: what was answered 200 is there, and what was shown had been committed.
///
///     senders                server                     a page, and a follower of the feed
///     POST … POST … POST     verify, commit, answer     id: EPOCH-1, id: EPOCH-2 …
///     connection lost        killed                     connection lost
///                            started on the same ledger
///     every 200 is in the feed, at its cursor; every id that was shown is there, with the same event
@Suite(.blocking) struct KillNineTests {
    struct Engine: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var rounds: Int
        var isShared = false
    }

    /// Each start on PostgreSQL takes a good part of a second.
    private static let engines =
        [Engine(testDescription: "SQLite", rounds: GeneratedCases.count(of: 100, oneOf: 5))]
        + (PostgresCluster.isInstalled
            ? [Engine(testDescription: "PostgreSQL", rounds: GeneratedCases.count(of: 20, oneOf: 2), isShared: true)]
            : [])
    private static let senders = 3
    private static let perSender = 6

    @Test(arguments: engines) func nothingAnsweredIsMissingAndNothingElseWasShown(_ engine: Engine) throws {
        let seed = UInt64.random(in: .min ... .max)
        print("KillNineTests seed \(seed) on \(engine)")
        var generator = SeededGenerator(seed: seed)
        let cluster = engine.isShared ? try PostgresCluster() : nil
        let server = try PaycastServer(environment: cluster.map { ["DATABASE_URL": $0.url] } ?? [:])
        let load = try Load(server)
        var start = "start"
        var (answered, shown, pages) = (0, 0, 0)
        for round in 0..<engine.rounds {
            let order = try load.order(of: "user-\(round)")
            let bodies = try (0..<KillNineTests.senders).map { sender in
                try (0..<KillNineTests.perSender).map {
                    try load.notification(order, of: "2\(round)0\(sender)", number: $0)
                }
            }
            let killAfter = Int.random(in: 0...KillNineTests.senders * KillNineTests.perSender, using: &generator)
            let seen = try load.run(bodies, order: order, since: start, killAfter: killAfter)
            try server.start()
            let committed = try load.feed(since: start)
            answered += seen.answered.count
            shown += seen.shown.count
            for (cursor, event) in seen.answered {
                #expect(committed[cursor] == event, "round \(round): answered 200 at \(cursor), then gone")
            }
            for (cursor, event) in seen.shown {
                #expect(committed[cursor] == event, "round \(round): shown at \(cursor), but not committed")
            }
            for cursor in seen.onPage {
                #expect(committed[cursor] != nil, "round \(round): a page showed \(cursor), but it was not committed")
            }
            #expect(seen.refused == 0)
            pages += seen.onPage.count
            if let (body, answer) = seen.last {
                var duplicate = answer
                duplicate.outcome = "duplicate"
                #expect(try load.post(body) == duplicate)
            }
            start = try load.head()
        }
        #expect(answered > engine.rounds && shown > engine.rounds && pages > engine.rounds)
    }
}

/// What clients have been told in one round.
private struct Seen: Sendable {
    var answered: [String: String] = [:]
    var shown: [String: String] = [:]
    var onPage: [String] = []
    /// Answers other than 200, from a server that lived.
    var refused = 0
    var last: (body: [UInt8], answer: CommitAnswer)?
}

/// The server was killed before it answered in full.
private struct NoAnswer: Error {}

private struct Refused: Error {}

private struct Load: Sendable {
    private let server: PaycastServer
    private let store: SimulatedAppStore
    private let authorization: String

    init(_ server: PaycastServer) throws {
        self.server = server
        let workspace = try DevelopmentWorkspace.existing(in: server.folder.path)
        store = SimulatedAppStore(signer: workspace.signer)
        authorization = "Bearer \(workspace.apiKey)"
    }

    func order(of user: String) throws -> CreateOrderAnswer {
        let body = #"{"user":"\#(user)","product":"paycast.pro.monthly"}"#
        let socket = try server.connect()
        try socket.send("POST /orders HTTP/1.1\r\nHost: x\r\nAuthorization: \(authorization)\r\nConnection: close\r\n")
        try socket.send("Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try decode(CreateOrderAnswer.self, from: try socket.readToEnd())
    }

    func notification(_ order: CreateOrderAnswer, of lineage: String, number: Int) throws -> [UInt8] {
        let subscription = SimulatedSubscription(product: "paycast.pro.monthly", lineage: lineage)
        let isFirst = number == 0
        return try store.body(
            SimulatedEvent(
                type: isFirst ? "SUBSCRIBED" : "DID_RENEW",
                subtype: isFirst ? "INITIAL_BUY" : nil,
                facts: subscription,
                token: OrderToken(order.order.order),
                now: Clock().now()
            )
        )
    }

    /// Sends from several threads until `killAfter` answers have come, then kills the server.
    func run(_ bodies: [[[UInt8]]], order: CreateOrderAnswer, since start: String, killAfter: Int) throws -> Seen {
        let seen = Mutex(Seen())
        let waker = Waker()
        let follower = WorkerThread(name: "follower") {
            guard let feed = try? follow(since: start) else { return }
            while let line = try? next(feed) { seen.withLock { $0.shown[line.cursor] = line.event } }
        }
        let page = WorkerThread(name: "page") {
            let path = "/streams?name=\(order.stream.signedStream)&since=\(order.stream.since)"
            guard let page = try? EventStreamClient(port: server.port, path: path) else { return }
            while let message = try? page.message() { seen.withLock { $0.onPage.append(message.id ?? "none") } }
        }
        let open = Mutex(bodies.count)
        let senders = bodies.map { bodies in
            WorkerThread(name: "sender") {
                for body in bodies {
                    do {
                        let answer = try post(body)
                        seen.withLock {
                            $0.answered[answer.cursor] = answer.event
                            $0.last = (body, answer)
                        }
                    } catch is Refused {
                        seen.withLock { $0.refused += 1 }
                    } catch {
                        break
                    }
                    waker.wake()
                }
                open.withLock { $0 -= 1 }
                waker.wake()
            }
        }
        while seen.withLock({ $0.answered.count }) < killAfter, open.withLock({ $0 }) > 0 { waker.wait() }
        try server.stop(with: .kill)
        senders.forEach { $0.join() }
        follower.join()
        page.join()
        return seen.withLock { $0 }
    }

    func post(_ body: [UInt8]) throws -> CommitAnswer {
        let socket = try server.connect()
        try socket.send("POST /webhooks/apple HTTP/1.1\r\nHost: x\r\nConnection: close\r\n")
        try socket.send("Content-Length: \(body.count)\r\n\r\n")
        try socket.send(body)
        return try decode(CommitAnswer.self, from: try socket.readToEnd())
    }

    /// The newest cursor.
    func head() throws -> String {
        let socket = try server.connect()
        let headers = "Host: x\r\nAuthorization: \(authorization)\r\nConnection: close\r\n"
        try socket.send("GET /users/1/entitlements HTTP/1.1\r\n\(headers)\r\n")
        return try decode(EntitlementsAnswer.self, from: try socket.readToEnd()).since
    }

    /// Everything after `start`, by cursor.
    func feed(since start: String) throws -> [String: String] {
        let head = try head()
        var events: [String: String] = [:]
        guard head != start, !head.hasSuffix("-0") else { return events }
        let feed = try follow(since: start)
        while true {
            let line = try next(feed)
            events[line.cursor] = line.event ?? ""
            if line.cursor == head { return events }
        }
    }

    private func follow(since start: String) throws -> EventStreamClient {
        try EventStreamClient(
            port: server.port,
            path: "/feed?since=\(start)",
            headers: [("Authorization", authorization)]
        )
    }

    private func next(_ feed: EventStreamClient) throws -> FeedItem {
        let message = try feed.message()
        guard let item = JSON.decode(FeedItem.self, from: Array((message.data ?? "").utf8)) else { throw NoAnswer() }
        return item
    }

    private func decode<Value: Decodable>(_ type: Value.Type, from response: [UInt8]) throws -> Value {
        let text = String(decoding: response, as: UTF8.self)
        guard let head = text.firstRange(of: "\r\n\r\n") else { throw NoAnswer() }
        guard text.hasPrefix("HTTP/1.1 20") else { throw Refused() }
        guard let value = JSON.decode(type, from: Array(text[head.upperBound...].utf8)) else { throw NoAnswer() }
        return value
    }
}
