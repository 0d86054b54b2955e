import Domain
import Encoding
import HTTPClient
import Simulator
import Support
import Synchronization
import TestSupport

/// Writers and pages on several nodes at once, and what all of them were told.
///
///     writer: each event again and again, wherever it gets through, until it is answered 2xx, as a store does
///     page:   connects, reads, is cut, connects elsewhere with its newest cursor
final class NodesTraffic: Sendable {
    enum Transport: Sendable {
        /// One page over all of its connections.
        case eventStream
        /// No cursor reaches these pages, so each connection begins anew where the page was rendered: a page of its own.
        case webSocket, cable
    }

    struct Plan: Sendable {
        var writers = 3
        var each = 30
        var pages = 3
        var kind = HistoryChecker.Page.Kind.everything
        var transport = Transport.eventStream
        /// After how many messages a page loses its connection; nil: only when a node ends it.
        var cut: ClosedRange<Int>?
        /// Every second event is a purchase that a store tells, which no page is shown.
        var hasPurchases = false
    }

    private struct State {
        var answers: [HistoryChecker.Answer] = []
        var pages: [HistoryChecker.Page] = []
        /// How many events are in that pages are shown, and how many of them each page has been shown.
        var published = 0
        var shown: [Int]
    }

    private static let end = "end."
    /// A page that has missed over 100 fragments reloads, which is no node's fault: on a busy machine writers wait for it.
    private static let lead = 80
    private let plan: Plan
    private let nodes: PostgresNodes
    /// Where clients go.
    private let ports: [Int]
    private let seed: UInt64
    private let start: String
    private let state: Mutex<State>

    /// `balancer`: clients go there instead of to the nodes themselves.
    init(_ plan: Plan, on nodes: PostgresNodes, balancer: HAProxy? = nil, seed: UInt64) throws {
        self.plan = plan
        self.nodes = nodes
        self.seed = seed
        state = Mutex(State(shown: Array(repeating: 0, count: plan.pages)))
        ports = balancer.map { [$0.port] } ?? nodes.nodes.map(\.port)
        start = try nodes.broadcast("begin.", through: 0)
    }

    /// How many events have been answered 2xx.
    var answered: Int { state.withLock { $0.answers.count { $0.isIn } } }

    var statuses: Set<Int> { Set(state.withLock { $0.answers.compactMap(\.status) }) }

    /// Returns once all is written and every page is current, or has given up. `disturb` runs meanwhile, on this thread.
    /// `heir`: the cluster that has the log at the end, if not the nodes' first one.
    func run(heir: PostgresCluster? = nil, while disturb: () throws -> Void = {}) throws -> HistoryChecker {
        let pages = (0..<plan.pages).map { index in
            WorkerThread(name: "page") { [self] in
                let pages = read(index)
                state.withLock { $0.pages += pages }
            }
        }
        let writers = (0..<plan.writers).map { index in WorkerThread(name: "writer") { [self] in write(index) } }
        let result = Result { try disturb() }
        writers.forEach { $0.join() }
        send(NodesTraffic.end, by: Deadline(.seconds(60)), generator: SeededGenerator(seed: seed))
        pages.forEach { $0.join() }
        try result.get()
        let seen = state.withLock { $0 }
        return HistoryChecker(log: try nodes.log(in: heir), answers: seen.answers, pages: seen.pages)
    }

    /// Whether a page is about to miss too much. One that begins anew with each connection misses everything anyway.
    private var isAhead: Bool {
        guard plan.transport == .eventStream, plan.kind == .everything else { return false }
        return state.withLock { state in
            state.published - (state.shown.min() ?? 0) > NodesTraffic.lead
        }
    }

    private func write(_ index: Int) {
        let deadline = Deadline(.seconds(120))
        for number in 0..<plan.each {
            while isAhead, !deadline.hasPassed { Waker().wait(timeout: .milliseconds(10)) }
            let generator = SeededGenerator(seed: seed &+ UInt64(index * 10_000 + number))
            send("w\(index)-\(number).", by: deadline, generator: generator)
        }
    }

    private func send(_ event: String, by deadline: Deadline, generator: SeededGenerator) {
        var generator = generator
        let isPurchase = plan.hasPurchases && Bool.random(using: &generator) && event != NodesTraffic.end
        while !deadline.hasPassed {
            let index = Int.random(in: ports.indices, using: &generator)
            let answer = isPurchase ? buy(event, at: index) : publish(event, at: ports[index])
            state.withLock {
                $0.answers.append(answer)
                if answer.isIn, !isPurchase { $0.published += 1 }
            }
            if answer.isIn { return }
            Waker().wait(timeout: .milliseconds(20))
        }
    }

    private func publish(_ event: String, at port: Int) -> HistoryChecker.Answer {
        let action = plan.kind == .everything ? "append" : "update"
        let answer = try? PostgresNodes.call(
            "POST",
            to: "http://127.0.0.1:\(port)/broadcasts",
            headers: [("Idempotency-Key", event)],
            body: #"{"user":"42","action":"\#(action)","target":"log","html":"\#(event)"}"#
        )
        var told = HistoryChecker.Answer(event: event, status: answer?.status)
        if case .array(let cursors)? = answer?.json?["cursors"] { told.cursor = cursors.first?.text }
        return told
    }

    private func buy(_ event: String, at index: Int) -> HistoryChecker.Answer {
        var told = HistoryChecker.Answer(event: event)
        guard let delivery = try? nodes.purchase(event, at: index) else { return told }
        let answer = try? PostgresNodes.call(
            "POST",
            to: "http://127.0.0.1:\(ports[index])\(delivery.path)",
            headers: delivery.headers,
            body: String(decoding: delivery.body, as: UTF8.self)
        )
        told.status = answer?.status
        told.cursor = answer?.json?["cursor"]?.text
        return told
    }

    private func read(_ index: Int) -> [HistoryChecker.Page] {
        let rendered = HistoryChecker.Page(name: "page \(index)", since: start, kind: plan.kind)
        var pages = [rendered]
        var generator = SeededGenerator(seed: seed &+ UInt64(index))
        let deadline = Deadline(.seconds(180))
        while !deadline.hasPassed {
            let last = pages.count - 1
            let port = ports[Int.random(in: ports.indices, using: &generator)]
            let next = try? open(at: port, since: pages[last].frames.last?.cursor ?? start)
            var left = plan.cut.map { Int.random(in: $0, using: &generator) } ?? .max
            while left > 0, let frame = try? next?() {
                left -= 1
                pages[last].frames.append(frame)
                state.withLock { $0.shown[index] += frame.events.count }
                if frame.events.last == NodesTraffic.end { return pages }
            }
            Waker().wait(timeout: .milliseconds(10))
            guard plan.transport != .eventStream else { continue }
            pages[last].isCurrent = false
            pages.append(rendered)
        }
        return pages
    }

    /// Connects a page, and returns what reads its next message.
    private func open(at port: Int, since cursor: String) throws -> () throws -> HistoryChecker.Frame {
        let path = "/streams?name=\(nodes.stream)&since=\(cursor)"
        switch plan.transport {
        case .eventStream:
            let client = try EventStreamClient(port: port, path: path, timeout: .seconds(5))
            return {
                let message = try client.message()
                let events = NodesTraffic.events(in: message.data ?? "")
                return HistoryChecker.Frame(cursor: message.id ?? "none", events: events)
            }
        case .webSocket:
            let client = try RawWebSocket(port: port, path: path, timeout: .seconds(5))
            return { HistoryChecker.Frame(events: NodesTraffic.events(in: try client.text())) }
        case .cable:
            let client = try CableClient(port: port)
            try client.subscribe(CableClient.identifier(nodes.stream, since: cursor))
            return { HistoryChecker.Frame(events: NodesTraffic.events(in: try client.html())) }
        }
    }

    /// A page that had to load again has not been shown what it missed.
    private static func events(in html: String) -> [String] {
        let texts = html.split(separator: "<template>").dropFirst().map { String($0.prefix { $0 != "<" }) }
        return html.contains(#"action="refresh""#) ? texts + ["refresh"] : texts
    }
}

extension HistoryChecker.Answer {
    var isIn: Bool { status.map { 200..<300 ~= $0 } ?? false }
}
